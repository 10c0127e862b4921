// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cuda/device_memory.h"
#include "kernels/cuda/rows/multiply.cuh"

namespace dimscope::kernels::cuda {
namespace {

constexpr int kThreads = 256, kRightTile = 128, kDepthTile = 16;
constexpr int kWarps = kThreads / 32, kColumns = kRightTile / 32;

/// Rows of a thread: projections have thousands of left rows, products of pairs a few dozen.
template <class Real, class Out>
constexpr int kRowsOf = 4;
template <>
constexpr int kRowsOf<float, float> = 8;

template <class Real, class Out>
constexpr int kLeftTile = kWarps* kRowsOf<Real, Out>;

template <class Real>
__device__ Real entryOf(const Factor<Real>& factor, std::int64_t row, int k, int depth) {
    if (row >= factor.rows || k >= depth) return Real(0);
    const Real x = factor.data[row * factor.stride + k];
    return factor.shift ? exp(x - factor.shift[row]) : x;
}

/// One depth slice of kRows rows: each thread carries kRows / 16 of its entries from global to shared memory.
template <class Real, int kRows>
class Slice {
public:
    __device__ void fetch(const Factor<Real>& factor, std::int64_t firstRow, int firstDepth, int depth) {
#pragma unroll
        for (int n = 0; n < kParts; ++n) part_[n] = entryOf(factor, firstRow + row(n), firstDepth + column(), depth);
    }
    __device__ void store(Real (&tile)[kDepthTile][kRows + 4]) const {
#pragma unroll
        for (int n = 0; n < kParts; ++n) tile[column()][row(n)] = part_[n];
    }

private:
    static constexpr int kStep = kThreads / kDepthTile, kParts = kRows / kStep;
    __device__ static int column() { return static_cast<int>(threadIdx.x) % kDepthTile; }
    __device__ static int row(int n) { return static_cast<int>(threadIdx.x) / kDepthTile + n * kStep; }
    Real part_[kParts];
};

template <class Real, class Out>
__global__ void __launch_bounds__(kThreads) multiply(DeviceTasks<Product<Real, Out>> products) {
    constexpr int kRows = kRowsOf<Real, Out>, kTile = kLeftTile<Real, Out>;
    __shared__ Real left[kDepthTile][kTile + 4];
    __shared__ Real right[kDepthTile][kRightTile + 4];
    const Product<Real, Out>& task = ownTask(products);
    const std::int64_t block = blockIdx.x - task.firstBlock, leftTiles = blocksFor(task.left.rows, kTile);
    const std::int64_t leftFrom = block % leftTiles * kTile, rightFrom = block / leftTiles * kRightTile;
    const int lane = static_cast<int>(threadIdx.x) % 32, ownRow = static_cast<int>(threadIdx.x) / 32 * kRows;
    Slice<Real, kTile> leftSlice;
    Slice<Real, kRightTile> rightSlice;
    Real sums[kRows][kColumns] = {};
    leftSlice.fetch(task.left, leftFrom, 0, task.depth);
    rightSlice.fetch(task.right, rightFrom, 0, task.depth);
    for (int depth = 0; depth < task.depth; depth += kDepthTile) {
        __syncthreads();
        leftSlice.store(left);
        rightSlice.store(right);
        __syncthreads();
        leftSlice.fetch(task.left, leftFrom, depth + kDepthTile, task.depth);
        rightSlice.fetch(task.right, rightFrom, depth + kDepthTile, task.depth);
#pragma unroll
        for (int k = 0; k < kDepthTile; ++k)
#pragma unroll
            for (int r = 0; r < kRows; ++r)
#pragma unroll
                for (int c = 0; c < kColumns; ++c) sums[r][c] += left[k][ownRow + r] * right[k][lane + 32 * c];
    }
    for (int r = 0; r < kRows; ++r)
        for (int c = 0; c < kColumns; ++c) {
            const std::int64_t m = leftFrom + ownRow + r, n = rightFrom + lane + 32 * c;
            if (m < task.left.rows && n < task.right.rows)
                task.out[m * task.outStride + n] = static_cast<Out>(task.scale * sums[r][c]);
        }
}

}  // namespace

template <class Real, class Out>
std::int64_t blocksOf(const Product<Real, Out>& product) {
    return blocksFor(product.left.rows, kLeftTile<Real, Out>) * blocksFor(product.right.rows, kRightTile);
}

template <class Real, class Out>
void launchProducts(const DeviceTasks<Product<Real, Out>>& products, cudaStream_t stream) {
    if (products.blocks == 0) return;
    multiply<<<static_cast<unsigned>(products.blocks), kThreads, 0, stream>>>(products);
    check(cudaGetLastError(), "multiplying features");
}

template std::int64_t blocksOf(const Product<float, float>&);
template std::int64_t blocksOf(const Product<float, double>&);
template std::int64_t blocksOf(const Product<double, double>&);
template void launchProducts(const DeviceTasks<Product<float, float>>&, cudaStream_t);
template void launchProducts(const DeviceTasks<Product<float, double>>&, cudaStream_t);
template void launchProducts(const DeviceTasks<Product<double, double>>&, cudaStream_t);

}  // namespace dimscope::kernels::cuda
