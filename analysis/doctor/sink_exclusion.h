// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <vector>

#include "analysis/doctor/attention_sinks.h"

namespace dimscope::analysis {

/// Positions of one prompt that are sinks of any layer and head; ascending, not empty.
struct PromptSinks {
    PromptIndex prompt;
    std::vector<Index> positions;
};

/// Prompts with sinks, ascending.
std::vector<PromptSinks> sinkPositions(const std::vector<AttentionSink>& sinks);

struct SinkSearch {
    SinkRule rule;
    int rows = 32;  ///< query rows drawn per prompt, 0: all
    std::uint64_t seed = 0;
};

/// Sinks of all layers, heads and prompts of a dump, whatever part of it is looked at later; a layer that cannot be
/// read has none. Throws Cancelled, DeviceError.
std::vector<AttentionSink> findSinks(const SinkSearch& search, HeadSource& source, kernels::Backend& backend,
                                     const RunControl& control);

/// The same dump with these positions invalid: neither queries nor keys of anything. A warning and the exclusions of
/// its info say which; a prompt without another position is left out.
std::shared_ptr<HeadSource> withoutSinks(std::shared_ptr<HeadSource> source, std::vector<PromptSinks> sinks);
/// The same without those that findSinks finds by its own rule.
std::shared_ptr<HeadSource> withoutFoundSinks(std::shared_ptr<HeadSource> source, std::uint64_t seed,
                                              kernels::Backend& backend, const RunControl& control);

}  // namespace dimscope::analysis
