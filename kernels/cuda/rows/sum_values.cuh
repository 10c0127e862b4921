// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cuda_runtime.h>

#include "kernels/cuda/rows/task_list.cuh"

namespace dimscope::kernels::cuda {

/// values(row, c) = sum_j weights(row, j) v(j, c); a value whose weight is 0 stays out, whatever it is.
struct ValueTask {
    const float* weights = nullptr;  ///< (rows, stride)
    std::int64_t rows = 0, keys = 0, stride = 0;
    const float* value = nullptr;  ///< (keys, dim)
    int dim = 0;
    float* parts = nullptr;         ///< (blocks of keys, rows, dim)
    std::uint8_t* state = nullptr;  ///< (rows) RowState; Bad where an output is not finite
    double* values = nullptr;       ///< (rows, dim); NaN in a bad row
    std::int64_t firstBlock = 0;
};

/// Blocks of the partial sums over kKeysPerSum keys each, and of their sums.
std::int64_t partBlocksOf(const ValueTask& task);
std::int64_t keyBlocksOf(const ValueTask& task);

void launchValueParts(const DeviceTasks<ValueTask>& tasks, cudaStream_t stream);
/// One block per row.
void launchValueSums(const DeviceTasks<ValueTask>& tasks, cudaStream_t stream);

}  // namespace dimscope::kernels::cuda
