// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "analysis/head_source.h"
#include "kernels/backend.h"

namespace dimscope::analysis {

/// When a key is a sink.
struct SinkRule {
    double mass = 0.3;        ///< mean attention mass drawn from queries far behind the key (arXiv 2410.10781: 0.3)
    Index distance = 16;      ///< "far": this many positions or more
    int leastRows = 8;        ///< fewer such queries tell nothing
    double normRatio = 10.0;  ///< or: norm over the median norm of the head's keys
};

struct AttentionSink {
    LayerIndex layer;
    HeadIndex head;
    PromptIndex prompt;
    Index position = 0;
    double mass = kNaN;     ///< 0..1; NaN where too few queries are far enough
    double keyNorm = kNaN;  ///< over the median of the head's valid keys
    bool byMass = false, byNorm = false;
};

/// Largest mass that one key draws in a head, over the prompts; NaN where no key has one.
struct HeadSinkMass {
    LayerIndex layer;
    HeadIndex head;
    double mass = kNaN;
    Index position = -1;
};

/// Sinks of some heads of one layer and prompt, at the query rows `rows`: softmax by the back end. Heads with numbers
/// that are not finite have none. Adds to `sinks` and, one entry per head in the order of `heads`, raises `masses`.
void addSinks(const SinkRule& rule, HeadSource& source, const LayerInfo& layer, PromptIndex prompt, Index length,
              const std::vector<HeadIndex>& heads, const std::vector<Index>& rows, kernels::Backend& backend,
              const RunControl& control, std::vector<AttentionSink>& sinks, std::vector<HeadSinkMass>& masses);

}  // namespace dimscope::analysis
