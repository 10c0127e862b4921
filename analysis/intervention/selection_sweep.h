// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/intervention/subset_errors.h"

namespace dimscope::analysis {

/// R_S of one kernel with S from one setting of the grouping.
struct SweepPoint {
    double alpha = 0.0, tau = 0.0, gamma = 0.0;
    SupportRule support = SupportRule::Rank;
    std::string setting;  ///< "oal-qwen", "oal-llama", "chosen" (the run's own), several with a space; else ""
    std::string kernel;
    double selected = 0.0;  ///< dimensions in S over all heads, mean over folds
    double ratio = kNaN;    ///< mean over the cells
};

/// R_S over alpha, tau, gamma and support rule, with both papers' settings and the chosen one; settings with the same S
/// share its evaluation. Pieces "sweep/...". `profile`: that S comes from. Empty before all pieces are there. Throws
/// Cancelled and what retainedErrors throws.
std::vector<SweepPoint> selectionSweep(const RetainedParams& params, const std::vector<RetainedMethod>& observed,
                                       const GroupingParams& chosen, const ProfileResult& profile, SubsetErrors& errors,
                                       const Pieces& pieces, const RunControl& control);

}  // namespace dimscope::analysis
