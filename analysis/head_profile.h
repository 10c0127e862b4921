// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "analysis/selection.h"
#include "analysis/table.h"
#include "kernels/backend.h"

namespace dimscope::analysis {

/// Magnitudes and contributions of one query head. Vectors have head_dim entries unless said otherwise;
/// several prompts count equally whatever their length. Dimensions are zero-based.
struct HeadProfile {
    LayerIndex layer;
    HeadIndex head;
    std::vector<double> qMeanAbs, kMeanAbs, qMaxAbs, kMaxAbs;
    std::vector<double> chi;           ///< mean |q_r k_r| * scale over visible pairs (kernel-math section 6)
    std::vector<double> share;         ///< chi / sum chi
    std::vector<int> order;            ///< ascending in chi, ties by dimension number
    std::vector<double> chiEffective;  ///< what does not cancel in softmax (section 13.8)
    /// (prompts that the layer has, head_dim)
    kernels::Matrix<double> qMeanAbsPrompts, kMeanAbsPrompts, chiPrompts;
    double top1 = 0.0, top5 = 0.0, top10 = 0.0;  ///< share of the strongest dimensions
    double effectiveDims = 0.0;                  ///< 1 / sum share^2
    Index nonFinite = 0;                         ///< > 0: the head is marked, its numbers are NaN
    bool unreadable = false;                     ///< a part of its layer cannot be read: marked likewise
    bool usable() const { return nonFinite == 0 && !unreadable; }
};

struct ProfileResult {
    std::vector<PromptIndex> prompts;
    std::vector<HeadProfile> heads;  ///< layers ascending, heads ascending
    std::vector<Warning> warnings;
    Provenance provenance;

    const HeadProfile* find(LayerIndex layer, HeadIndex head) const;
};

/// Profiles of all selected heads, O(N d) each. Throws ArgumentError, FormatError, Cancelled.
/// A layer of which a part is unreadable is marked, with a warning; all unreadable is a FormatError.
ProfileResult profileHeads(const Selection& selection, HeadSource& source, kernels::Backend& backend,
                           const RunControl& control);

/// One row per head and dimension: layer, head, dim, q_mean_abs, ..., share, rank.
Table profileTable(const ProfileResult& result);
/// The strongest dimensions of one head, descending: dim, partner, partner_rank, chi, share, |q|, |k|.
Table topDimensionsTable(const ProfileResult& result, const HeadProfile& head, const LayerInfo& layer);

/// RoPE partner of a dimension, or -1 (half: r and r + rotaryDim/2; interleaved: 2r and 2r + 1; none without rotation).
int ropePartner(int dimension, const LayerInfo& layer);

}  // namespace dimscope::analysis
