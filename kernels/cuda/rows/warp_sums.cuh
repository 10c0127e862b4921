// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cuda_runtime.h>

namespace dimscope::kernels::cuda {

// Reductions in a fixed order: the same result on every run.

template <class T>
__device__ T warpSum(T x) {
    for (int other = 16; other > 0; other /= 2) x += __shfl_xor_sync(0xffffffffU, x, other);
    return x;
}

/// The larger of two; a NaN stays.
template <class T>
__device__ T larger(T a, T b) {
    return b > a || b != b ? b : a;
}

template <class T>
__device__ T warpMax(T x) {
    for (int other = 16; other > 0; other /= 2) x = larger(x, __shfl_xor_sync(0xffffffffU, x, other));
    return x;
}

enum class Fold { Sum, Max };

/// Over all threads of a block of at most 1024; every thread gets the result.
template <Fold kFold, class T>
__device__ T blockFold(T x) {
    __shared__ T parts[32];
    const auto fold = [](T y) { return kFold == Fold::Sum ? warpSum(y) : warpMax(y); };
    x = fold(x);
    __syncthreads();
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = x;
    __syncthreads();
    const T own = parts[threadIdx.x % 32 < blockDim.x / 32 ? threadIdx.x % 32 : 0];
    const bool counts = threadIdx.x % 32 < blockDim.x / 32;
    return fold(counts || kFold == Fold::Max ? own : T(0));
}

template <class T>
__device__ T blockSum(T x) {
    return blockFold<Fold::Sum>(x);
}
template <class T>
__device__ T blockMax(T x) {
    return blockFold<Fold::Max>(x);
}

}  // namespace dimscope::kernels::cuda
