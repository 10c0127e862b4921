// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cuda/device_memory.h"
#include "kernels/cuda/rows/sum_values.cuh"
#include "kernels/cuda/rows/weigh_rows.cuh"

namespace dimscope::kernels::cuda {
namespace {

constexpr int kThreads = 128, kRowTile = 32, kColumnTile = 64, kKeyTile = 32;
constexpr std::int64_t kKeysPerSum = 256;  // in float; sums of these in double

/// A thread has four rows and four columns side by side.
__global__ void __launch_bounds__(kThreads) sumParts(DeviceTasks<ValueTask> tasks) {
    constexpr int kOwn = 4, kAcross = kColumnTile / kOwn;
    __shared__ __align__(16) float weights[kKeyTile][kRowTile + 4];
    __shared__ __align__(16) float values[kKeyTile][kColumnTile];
    const ValueTask task = ownTask(tasks);
    std::int64_t block = blockIdx.x - task.firstBlock;
    const std::int64_t rowTiles = blocksFor(task.rows, kRowTile), columnTiles = blocksFor(task.dim, kColumnTile);
    const std::int64_t rowFrom = block % rowTiles * kRowTile;
    block /= rowTiles;
    const std::int64_t columnFrom = block % columnTiles * kColumnTile, part = block / columnTiles;
    const std::int64_t end = min((part + 1) * kKeysPerSum, task.keys);
    const int thread = static_cast<int>(threadIdx.x), row = thread / kAcross * kOwn, column = thread % kAcross * kOwn;
    float sums[kOwn][kOwn] = {};
    for (std::int64_t first = part * kKeysPerSum; first < end; first += kKeyTile) {
        __syncthreads();
#pragma unroll 4
        for (int n = thread; n < kRowTile * kKeyTile; n += kThreads) {
            const std::int64_t r = rowFrom + n / kKeyTile, j = first + n % kKeyTile;
            weights[n % kKeyTile][n / kKeyTile] = r < task.rows && j < end ? task.weights[r * task.stride + j] : 0.0F;
        }
#pragma unroll 4
        for (int n = thread; n < kKeyTile * kColumnTile; n += kThreads) {
            const std::int64_t j = first + n / kColumnTile, c = columnFrom + n % kColumnTile;
            values[n / kColumnTile][n % kColumnTile] = j < end && c < task.dim ? task.value[j * task.dim + c] : 0.0F;
        }
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < kKeyTile; ++k) {
            float own[kOwn];
#pragma unroll
            for (int c = 0; c < kOwn; ++c) own[c] = values[k][column + c];
#pragma unroll
            for (int r = 0; r < kOwn; ++r) {
                const float weight = weights[k][row + r];
#pragma unroll
                for (int c = 0; c < kOwn; ++c)
                    sums[r][c] = weight != 0.0F ? fmaf(weight, own[c], sums[r][c]) : sums[r][c];
            }
        }
    }
    for (int r = 0; r < kOwn; ++r)
        for (int c = 0; c < kOwn; ++c) {
            const std::int64_t m = rowFrom + row + r, n = columnFrom + column + c;
            if (m < task.rows && n < task.dim) task.parts[(part * task.rows + m) * task.dim + n] = sums[r][c];
        }
}

__global__ void __launch_bounds__(kThreads) sumValues(DeviceTasks<ValueTask> tasks) {
    const ValueTask task = ownTask(tasks);
    const std::int64_t row = blockIdx.x - task.firstBlock, parts = blocksFor(task.keys, kKeysPerSum);
    bool bad = task.state[row] == static_cast<std::uint8_t>(RowState::Bad);
    for (int c = static_cast<int>(threadIdx.x); c < task.dim; c += kThreads) {
        double sum = 0.0;
        for (std::int64_t part = 0; part < parts; ++part)
            sum += static_cast<double>(task.parts[(part * task.rows + row) * task.dim + c]);
        task.values[row * task.dim + c] = sum;
        bad = bad || !isfinite(sum);
    }
    if (!__syncthreads_or(bad)) return;
    for (int c = static_cast<int>(threadIdx.x); c < task.dim; c += kThreads) task.values[row * task.dim + c] = NAN;
    if (threadIdx.x == 0) task.state[row] = static_cast<std::uint8_t>(RowState::Bad);
}

}  // namespace

std::int64_t keyBlocksOf(const ValueTask& task) { return blocksFor(task.keys, kKeysPerSum); }

std::int64_t partBlocksOf(const ValueTask& task) {
    return blocksFor(task.rows, kRowTile) * blocksFor(task.dim, kColumnTile) * keyBlocksOf(task);
}

void launchValueParts(const DeviceTasks<ValueTask>& tasks, cudaStream_t stream) {
    if (tasks.blocks == 0) return;
    sumParts<<<static_cast<unsigned>(tasks.blocks), kThreads, 0, stream>>>(tasks);
    check(cudaGetLastError(), "summing values");
}

void launchValueSums(const DeviceTasks<ValueTask>& tasks, cudaStream_t stream) {
    if (tasks.blocks == 0) return;
    sumValues<<<static_cast<unsigned>(tasks.blocks), kThreads, 0, stream>>>(tasks);
    check(cudaGetLastError(), "summing values");
}

}  // namespace dimscope::kernels::cuda
