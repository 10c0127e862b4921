// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/intervention/control_source.h"
#include "analysis/intervention/subset_selection.h"

namespace dimscope::analysis {

/// One draw of a rung: S from the control's own grouping, and as many dimensions per head as the dump's S has.
struct ControlDraw {
    Index selected = 0;  ///< dimensions in S over all heads, by the control's own grouping
    std::vector<RetainedMethod> own, sameSize;
};
struct ControlOutcome {
    ControlRung rung;
    std::vector<ControlDraw> draws;
};

struct GaussianControlParams {
    std::vector<ControlRung> rungs;
    int draws = 1;                         ///< of every rung
    std::vector<PromptIndex> calibration;  ///< prompts that S comes from
    bool crossFit = false;
    SubsetChoice subset;
    GroupingParams grouping;
    std::uint64_t seed = 0;
};

/// Retained errors of dumps whose queries and keys are replaced: chi, groups and kernels are made anew, kernels of a
/// parameter file are fitted again. `dump`: S of the dump itself, for the sizes. Pieces "gaussian/0/L05": a draw of one
/// layer, which one shard computes. Throws Cancelled and what the steps throw.
std::vector<ControlOutcome> gaussianControls(const GaussianControlParams& control, const RetainedParams& params,
                                             const HeadSubsets& dump, const KernelFactory& factory, HeadSource& source,
                                             kernels::Backend& backend, Pieces& pieces, const RunControl& run);

}  // namespace dimscope::analysis
