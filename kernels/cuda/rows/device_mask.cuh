// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "kernels/types.h"

namespace dimscope::kernels::cuda {

/// Keys [begin, end).
struct DeviceKeys {
    std::int64_t begin = 0, end = 0;
};

/// AttentionMask with its validity in device memory.
struct DeviceMask {
    bool causal = true;
    std::int64_t window = 0;
    const std::uint8_t* valid = nullptr;  ///< null: all valid
    KeySplit split = {};

    __device__ bool isValid(std::int64_t i) const { return !valid || valid[i] != 0; }
    /// All keys that query i may see among the first `keys`; inside, `picks` decides. Every query row is one.
    __device__ DeviceKeys candidates(std::int64_t i, std::int64_t keys) const {
        if (!isValid(i)) return {0, 0};
        if (!causal) return {0, keys};
        const std::int64_t first = window > 0 && i >= window ? i - window + 1 : 0;
        return {first, i + 1 < keys ? i + 1 : keys};
    }
    __device__ bool picks(std::int64_t i, std::int64_t j) const { return isValid(j) && split.holds(i, j); }
};

}  // namespace dimscope::kernels::cuda
