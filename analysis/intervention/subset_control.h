// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/intervention/retained_error.h"

namespace dimscope::analysis {

/// What random subsets are drawn from.
enum class SubsetPool {
    Bulk,  ///< all dimensions but S: the paper's
    All,   ///< all dimensions: exchangeable with S
};
SubsetPool subsetPoolFrom(std::string_view name);  ///< bulk | all; throws ArgumentError

/// R_S of one kernel against that of random subsets of the same sizes.
struct SubsetControl {
    std::string kernel;
    std::vector<double> ratios;     ///< (replicates) R_b, in the order drawn
    std::size_t atLeast = 0;        ///< replicates with R_b >= R_S
    double p = kNaN;                ///< (1 + at least) / (replicates + 1)
    double pMaxT = kNaN;            ///< the same for the largest z over all kernels: corrected for their number
    double z = kNaN;                ///< (R_S - mean R_b) / sd R_b
    double effect = kNaN;           ///< R_S / mean R_b
    std::vector<double> quantiles;  ///< of R_b at 2.5, 25, 50, 75 and 97.5 %
};

struct SubsetControlResult {
    std::vector<SubsetControl> kernels;  ///< in the order of the params
    Index distinct = 0;                  ///< subsets evaluated, over all heads; equal ones once
    std::vector<Warning> warnings;
};

/// `replicates` draws of |S_h| dimensions per head, without replacement and with the same draws for all kernels; a draw
/// replaces S of all heads at once. `observed`: the kernels' R_S with the E_full that replicates are divided by.
/// Throws Cancelled and what retainedErrors throws.
SubsetControlResult subsetControl(const RetainedParams& params, const std::vector<RetainedMethod>& observed,
                                  const HeadSubsets& subsets, SubsetPool pool, int replicates,
                                  const KernelFactory& factory, HeadSource& source, kernels::Backend& backend,
                                  const RunControl& control);

}  // namespace dimscope::analysis
