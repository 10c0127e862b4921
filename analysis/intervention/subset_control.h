// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>

#include "analysis/intervention/subset_draws.h"
#include "analysis/intervention/subset_errors.h"

namespace dimscope::analysis {

/// R_S of one kernel against that of random subsets of the same sizes.
struct SubsetControl {
    std::string kernel;
    std::vector<double> ratios;     ///< (replicates) R_b, in the order drawn
    std::size_t wanted = 0;         ///< replicates when it is done; the rest is of those so far
    std::size_t atLeast = 0;        ///< replicates with R_b >= R_S
    double p = kNaN;                ///< (1 + at least) / (replicates + 1)
    double pMaxT = kNaN;            ///< the same for the largest z over all kernels: corrected for their number
    double z = kNaN;                ///< (R_S - mean R_b) / sd R_b
    double effect = kNaN;           ///< R_S / mean R_b
    std::vector<double> quantiles;  ///< of R_b at 2.5, 25, 50, 75 and 97.5 %
};

using SubsetControlsSeen = std::function<void(std::vector<SubsetControl>)>;

/// Random subsets in place of S: the same draws for all kernels; a draw replaces S of all heads at once. `draws`: per
/// fold. `observed`: the kernels' R_S with the E_full that replicates are divided by. Replicates are computed a few at
/// a time over all layers and prompts, and `seen` (empty: nobody looks) gets what there is after each of these steps.
/// In the order of the params; empty before all pieces are there. Throws Cancelled and what retainedErrors throws.
std::vector<SubsetControl> subsetControl(const RetainedParams& params, const std::vector<RetainedMethod>& observed,
                                         const std::vector<SubsetDraws>& draws, SubsetErrors& errors,
                                         const Pieces& pieces, const SubsetControlsSeen& seen,
                                         const RunControl& control);

}  // namespace dimscope::analysis
