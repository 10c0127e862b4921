// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cuda/device_memory.h"
#include "kernels/cuda/rows/sequence_statistics.cuh"
#include "kernels/cuda/rows/warp_sums.cuh"

namespace dimscope::kernels::cuda {
namespace {

constexpr int kThreads = 32 * kStatisticWarps;

__device__ int lane() { return static_cast<int>(threadIdx.x) % 32; }
__device__ int warp() { return static_cast<int>(threadIdx.x) / 32; }
__device__ bool isValid(const StatisticTask& task, std::int64_t i) { return !task.valid || task.valid[i] != 0; }

/// |q + k|^2 on average: the mean squares, and twice the product of the means.
__device__ void phi(const StatisticTask& task) {
    double squares = 0.0, count = 0.0;
    double* own = task.scratch + warp() * 2 * task.dim;
    for (int c = lane(); c < task.dim; c += 32) {
        double q = 0.0, k = 0.0;
        for (std::int64_t i = warp(); i < task.positions; i += kStatisticWarps) {
            if (!isValid(task, i)) continue;
            const double queryEntry = static_cast<double>(task.query[i * task.dim + c]);
            const double keyEntry = static_cast<double>(task.key[i * task.dim + c]);
            q += queryEntry;
            k += keyEntry;
            squares += queryEntry * queryEntry + keyEntry * keyEntry;
            if (c == 0) count += 1.0;
        }
        own[c] = q;
        own[task.dim + c] = k;
    }
    __syncthreads();
    double product = 0.0;
    for (int c = static_cast<int>(threadIdx.x); c < task.dim; c += kThreads) {
        double q = 0.0, k = 0.0;
        for (int w = 0; w < kStatisticWarps; ++w) {
            q += task.scratch[w * 2 * task.dim + c];
            k += task.scratch[w * 2 * task.dim + task.dim + c];
        }
        product += q * k;
    }
    squares = blockSum(squares);
    count = blockSum(count);
    product = blockSum(product);
    if (threadIdx.x == 0) *task.out = task.scale * (squares / count + 2.0 * product / (count * count));
}

__device__ void largest(const StatisticTask& task) {
    double top = -INFINITY;
    for (std::int64_t i = threadIdx.x; i < task.positions; i += kThreads)
        if (isValid(task, i)) top = larger(top, task.values[i]);
    top = blockMax(top);
    if (threadIdx.x == 0) *task.out = top;
}

/// Each warp has a stretch of positions: their sum first, then a walk that starts from the sums of the stretches
/// before.
__device__ void radial(const StatisticTask& task) {
    const std::int64_t stretch = blocksFor(task.positions, kStatisticWarps);
    const std::int64_t first = min(warp() * stretch, task.positions), end = min(first + stretch, task.positions);
    double* sums = task.scratch + warp() * task.dim;
    __shared__ double counts[kStatisticWarps];
    double count = 0.0;
    for (std::int64_t j = first; j < end; ++j) count += isValid(task, j) ? 1.0 : 0.0;
    for (int c = lane(); c < task.dim; c += 32) {
        double sum = 0.0;
        for (std::int64_t j = first; j < end; ++j)
            if (isValid(task, j)) sum += static_cast<double>(task.key[j * task.dim + c]);
        sums[c] = sum;
    }
    if (lane() == 0) counts[warp()] = count;
    __syncthreads();
    for (int c = static_cast<int>(threadIdx.x); c < task.dim; c += kThreads) {
        double before = task.mean ? task.count * task.mean[c] : 0.0;
        for (int w = 0; w < kStatisticWarps; ++w) {
            double& sum = task.scratch[w * task.dim + c];
            const double own = sum;
            sum = before;
            before += own;
        }
    }
    __syncthreads();
    count = task.count;
    for (int w = 0; w < warp(); ++w) count += counts[w];
    for (std::int64_t j = first; j < end; ++j) {
        const bool counted = isValid(task, j);
        count += counted ? 1.0 : 0.0;
        double product = 0.0;
        for (int c = lane(); c < task.dim; c += 32) {
            const double entry = static_cast<double>(task.key[j * task.dim + c]);
            if (counted) sums[c] += entry;
            product += entry * sums[c];
        }
        product = warpSum(product);
        if (lane() == 0) task.out[j] = -task.scale * product / count;
    }
}

__global__ void __launch_bounds__(kThreads) statistics(DeviceTasks<StatisticTask> tasks) {
    const StatisticTask& task = ownTask(tasks);
    switch (task.statistic) {
        case Statistic::Phi: return phi(task);
        case Statistic::Largest: return largest(task);
        case Statistic::Radial: return radial(task);
    }
}

}  // namespace

void launchStatistics(const DeviceTasks<StatisticTask>& tasks, cudaStream_t stream) {
    if (tasks.blocks == 0) return;
    statistics<<<static_cast<unsigned>(tasks.blocks), kThreads, 0, stream>>>(tasks);
    check(cudaGetLastError(), "summing up sequences");
}

}  // namespace dimscope::kernels::cuda
