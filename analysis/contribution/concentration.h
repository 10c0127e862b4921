// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <vector>

#include "analysis/selection.h"
#include "analysis/table.h"
#include "kernels/backend.h"

namespace dimscope::analysis {

/// Quantiles of the isotropic draws that a result lists.
inline constexpr std::array kDrawQuantiles{0.05, 0.25, 0.5, 0.75, 0.95};

struct ConcentrationParams {
    Selection selection = {};
    int draws = 20;          ///< of isotropic queries and keys; 0: none
    std::uint64_t seed = 0;  ///< of the first draw, the others count up
};

/// Shares of a head in draws of q (per query head) and k (per KV head) iid N(0, 1), as many positions and dimensions.
struct IsotropicShares {
    std::vector<double> same;                  ///< (draws) share of the dimensions that are the head's own top five
    std::vector<double> own;                   ///< (draws) share of the draw's top five
    std::vector<double> effectiveDims;         ///< (draws)
    std::vector<double> lorenz;                ///< (head_dim + 1) mean curve
    std::vector<double> lorenzFrom, lorenzTo;  ///< (head_dim + 1) least and largest over the draws
    double p = kNaN;  ///< (1 + draws whose top five reach the head's) / (1 + draws): at most this, never 0
};

/// How few dimensions carry chi (kernel-math section 6) of one query head.
struct HeadConcentration {
    LayerIndex layer;
    HeadIndex head;
    bool usable = true;  ///< false: values that are not finite; numbers are NaN then
    double top1 = kNaN, top5 = kNaN, top10 = kNaN;
    double effectiveDims = kNaN;  ///< 1 / sum share^2
    std::vector<int> strongest;   ///< up to five, descending
    std::vector<double> lorenz;   ///< (head_dim + 1) share of the n weakest dimensions
    IsotropicShares isotropic;
};

struct ConcentrationResult {
    std::vector<PromptIndex> prompts;
    int draws = 0;
    std::vector<HeadConcentration> heads;  ///< layers ascending, heads ascending
    std::vector<Warning> warnings;
    Provenance provenance;

    const HeadConcentration* find(LayerIndex layer, HeadIndex head) const;
};

/// Top shares, effective dimensions and Lorenz curve of every selected head, beside draws that have no outlier
/// dimension: with few positions chi is uneven by chance. Throws ArgumentError, FormatError, Cancelled.
ConcentrationResult concentration(const ConcentrationParams& params, HeadSource& source, kernels::Backend& backend,
                                  const RunControl& control);

/// One row per head.
Table concentrationTable(const ConcentrationResult& result);
/// One row per head and number of weakest dimensions.
Table lorenzTable(const ConcentrationResult& result);

}  // namespace dimscope::analysis
