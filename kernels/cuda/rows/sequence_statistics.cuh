// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cuda_runtime.h>

#include "kernels/cuda/rows/task_list.cuh"

namespace dimscope::kernels::cuda {

enum class Statistic : std::int32_t {
    Phi,      ///< out[0]: scale times the mean over pairs of valid positions of |q + k|^2 (sections 2.1, 2.2)
    Largest,  ///< out[0]: the largest of `values` at valid positions
    Radial,   ///< out (positions): -scale k_j . the mean of the valid keys up to j and of `mean`, weighing `count` (8)
};

/// What kernels need of a whole sequence, one block each.
struct StatisticTask {
    Statistic statistic = Statistic::Phi;
    const float *query = nullptr, *key = nullptr;  ///< (positions, dim)
    const std::uint8_t* valid = nullptr;           ///< null: all valid
    std::int64_t positions = 0;
    int dim = 0;
    double scale = 1.0;
    const double* values = nullptr;
    const double* mean = nullptr;  ///< (dim); null: 0
    double count = 0.0;
    double* scratch = nullptr;  ///< (kStatisticWarps, 2 dim)
    double* out = nullptr;
    std::int64_t firstBlock = 0;
};

inline constexpr int kStatisticWarps = 32;

void launchStatistics(const DeviceTasks<StatisticTask>& tasks, cudaStream_t stream);

}  // namespace dimscope::kernels::cuda
