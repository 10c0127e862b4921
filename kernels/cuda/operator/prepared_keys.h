// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "kernels/cuda/operator/fragment_layout.h"

namespace dimscope::kernels::cuda {

/// What one KV head subtracts from its keys and the powers of two that it multiplies keys and values with, so that both
/// are about 1 in size. By position (KvPlan); the same from the first token of a sequence to the last.
struct KeyScaling {
    float mean[kDim];
    float keyScale[kDim];
    float valueScale[kDim];
};

/// Keys and values of one slab as right operands (fragment_layout.h), per KV head one after the other.
struct PreparedKeys {
    std::uint32_t* keyTiles = nullptr;    ///< (kv, tokens / 8, kKeyTileWords)
    std::uint32_t* transposed = nullptr;  ///< (kv, tokens / 16, kTransposedWords)
    std::uint32_t* values = nullptr;      ///< (kv, tokens / 16, kStepWords)
    float* largestSquare = nullptr;       ///< (kv, chunks) largest squared norm of a prepared key; from 0
    std::int64_t tokens = 0;              ///< a multiple of kChunk
};

}  // namespace dimscope::kernels::cuda
