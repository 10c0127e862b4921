// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/cuda/operator/fragment_layout.h"
#include "kernels/kernel_spec.h"

namespace dimscope::kernels::cuda {

/// A query head's kernel as the device reads it. Dimensions stand in the order of their KV head (KvPlan). With q the
/// query in that order:
///   kappa = floor + sum_c (offset_c + sum_r weight_c[r] q_r k_r)^2,
/// and the coefficient of k_r k_t in it is amplitude_r q_r amplitude_t q_t correlation(r, t).
struct HeadPlan {
    float floor = 0.0F;
    std::int32_t columns = 0;                ///< squares
    std::uint32_t slices[kMaxColumns] = {};  ///< bit s: the square touches slice s of the dimensions
    float offset[kMaxColumns] = {};
    float weight[kMaxColumns][kDim] = {};
    float amplitude[kDim] = {};
    /// Per pair of blocks and c = lane % 4: halves of features 2 c, 2 c + 1, and of 2 c + 8, 2 c + 9.
    std::uint32_t correlation[kPairs][4][2] = {};
};

/// Order of the dimensions of a KV head: position -> dimension; -1: padding. Those in the bulk of all its query heads
/// come first, so that most squares touch the last slices alone.
struct KvPlan {
    std::int32_t dimension[kDim] = {};
};

/// What the kernels need to know about all heads of a layer.
struct QuadraticPlan {
    std::vector<HeadPlan> heads;
    std::vector<KvPlan> kv;
    int group = 1;                  ///< query heads to a KV head
    int mostSlices = 0;             ///< of one head, counted over its squares
    int correlatedBlock = kBlocks;  ///< blocks before it have correlation 1 among themselves, in every head
};

/// One specification per query head. The form is that of kernels/state/bulk_first.h; amplitudes and correlations
/// split its matrix so that no factor exceeds 1 and the bulk needs none. Throws ShapeError for more than 8 groups or
/// 64 dimensions.
QuadraticPlan planQuadratic(std::span<const Oal> specs, int kvHeads, double scale);

}  // namespace dimscope::kernels::cuda
