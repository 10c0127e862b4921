// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace dimscope::kernels::cuda {

enum class Element : std::int32_t { Float, Half, BFloat16 };

/// Heads of one layer in device memory, rows and heads wherever they are (strides in elements).
struct DeviceHeads {
    const void* data = nullptr;
    Element element = Element::Float;
    std::int64_t headStride = 0, rowStride = 0;
};

struct DeviceOutput {
    void* data = nullptr;
    Element element = Element::Float;
    std::int64_t headStride = 0, rowStride = 0;
};

/// All heads of one layer and prompt, causal, every position valid.
struct DeviceSequence {
    DeviceHeads query, key, value;
    DeviceOutput output;
    int queryHeads = 1, kvHeads = 1;
    std::int64_t rows = 0;
    int headDim = 0, valueDim = 0;
};

}  // namespace dimscope::kernels::cuda
