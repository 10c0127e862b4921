// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cuda_runtime.h>

#include "kernels/cuda/rows/task_list.cuh"

namespace dimscope::kernels::cuda {

/// Rows of numbers in device memory.
template <class Real>
struct Factor {
    const Real* data = nullptr;
    std::int64_t stride = 0, rows = 0;
    const Real* shift = nullptr;  ///< (rows) not null: the factor is exp(entry - shift of its row)
};

/// out(m, n) = scale * left row m . right row n.
template <class Real, class Out>
struct Product {
    Factor<Real> left, right;
    int depth = 0;
    Real scale = Real(1);
    Out* out = nullptr;
    std::int64_t outStride = 0;
    std::int64_t firstBlock = 0;
};

template <class Real, class Out>
std::int64_t blocksOf(const Product<Real, Out>& product);

/// Sums in Real, in the order of the depth: the same on every device.
template <class Real, class Out>
void launchProducts(const DeviceTasks<Product<Real, Out>>& products, cudaStream_t stream);

}  // namespace dimscope::kernels::cuda
