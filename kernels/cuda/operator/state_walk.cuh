// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cuda_runtime.h>

#include "kernels/cuda/operator/prepared_keys.h"

namespace dimscope::kernels::cuda {

/// Numbers of one state as the warps that sum it hold them: (kSteps, 36, 32 lanes).
inline constexpr int kSumNumbers = kSteps * 32 * 36;
/// Parts of a slab that are walked side by side, so that few heads fill the device too.
constexpr int segmentsOf(int kvHeads) { return kvHeads < 8 ? 16 / kvHeads : 2; }

/// States of one slab. A stored state is (kSteps, kStepWords) words.
struct SlabStates {
    std::uint32_t* before = nullptr;  ///< (kv, stored chunks): sums over all tokens before a chunk, times stateScale
    const float* begin = nullptr;     ///< (kv, kSumNumbers) sums before the slab
    float* end = nullptr;             ///< (kv, kSumNumbers) sums behind it
    float* segments = nullptr;        ///< (kv, segments, kSumNumbers)
    int chunkBlocks = 1;              ///< kChunk tokens each; a state is stored before every so many
    int stored = 0;                   ///< chunks of the slab that a state belongs to, counted from its begin
};

/// Sums of feature times value over the prepared tokens. `position`: tokens before the slab. `fromChunk`: states of
/// earlier chunks of this slab are not stored, because nobody reads them.
void walkStates(const PreparedKeys& prepared, const SlabStates& states, int kvHeads, std::int64_t position,
                int fromChunk, cudaStream_t stream);

}  // namespace dimscope::kernels::cuda
