// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <vector>

#include "analysis/head_source.h"
#include "analysis/selection.h"
#include "app/cli/options.h"
#include "kernels/backend.h"
#include "kernels/parameter_set.h"

namespace dimscope::app {

/// What a verb that computes works on.
struct Inputs {
    std::unique_ptr<kernels::Backend> backend;
    std::shared_ptr<analysis::HeadSource> source;
    std::shared_ptr<const kernels::ParameterSet> parameters;  ///< null without --params
    std::vector<analysis::Warning> warnings;                  ///< of the parameter file
};

/// With --exclude-sinks the source has none. Throws BackendUnavailable, FileError, FormatError, Cancelled.
Inputs openInputs(const Options& options, const kernels::RunControl& control);

/// Puts the parameter file into a result's provenance and its oddities into the warnings.
void noteParameters(const Inputs& inputs, analysis::Provenance& provenance, std::vector<analysis::Warning>& warnings);

/// Injected bootstrap draws [B][P]; empty where the parameter file has none. Throws FormatError where they are not
/// draws among `prompts` prompts.
std::vector<std::vector<int>> bootstrapDraws(const Inputs& inputs, std::size_t prompts);

/// Query positions [P][R], one row per selected prompt that all selected layers have: the list of --positions for each,
/// else those of the parameter file, else empty (they are drawn). Throws UsageError, FormatError.
std::vector<std::vector<kernels::Index>> queryPositions(const Options& options, const Inputs& inputs,
                                                        const analysis::Selection& selection);

}  // namespace dimscope::app
