// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/intervention/subset_draws.h"
#include "analysis/intervention/subset_errors.h"

namespace dimscope::analysis {

/// E_S of one head and kernel among other subsets of |S_h| dimensions of the same head, over all prompts.
struct HeadRank {
    LayerIndex layer;
    HeadIndex head;
    std::string kernel;
    bool exact = false;    ///< among all subsets of the pool; false: among the control's draws
    std::size_t rank = 0;  ///< 1: none errs as much; 0: undefined (S empty or the head left out)
    std::size_t of = 0;    ///< subsets with S itself
    double p = kNaN;       ///< rank / of
    double q = kNaN;       ///< Benjamini-Hochberg over the heads of a kernel
};

/// Heads with up to `limit` subsets of the size get exact ranks: what the draws left is evaluated (pieces "ranks/...").
/// A cross-fitted S has no such list, its heads are ranked among the draws. `heads`: of retainedErrors, whose order
/// the ranks have. Empty before all pieces are there. Throws Cancelled and what retainedErrors throws.
std::vector<HeadRank> headRanks(const RetainedParams& params, const std::vector<RetainedHead>& heads,
                                const RetainedChoices& choices, SubsetPool pool, std::size_t limit,
                                const std::vector<SubsetDraws>& draws, SubsetErrors& errors, const Pieces& pieces,
                                const RunControl& control);

}  // namespace dimscope::analysis
