// SPDX-License-Identifier: GPL-3.0-or-later
#include <type_traits>

#include "kernels/cuda/device_memory.h"
#include "kernels/cuda/rows/multiply.cuh"

namespace dimscope::kernels::cuda {
namespace {

constexpr int kRightTile = 128, kDepthTile = 16;
constexpr int kColumns = kRightTile / 32;  // of a thread, 32 apart

/// A thread sums kRows rows of kColumns columns, a warp kRows whole rows of the tile. Projections have thousands of
/// left rows, products of pairs a few dozen; doubles take more registers.
template <class Real, class Out>
struct Tile {
    static constexpr int kRows = sizeof(Real) == 8 ? 4 : 8;
    static constexpr int kWarps = std::is_same_v<Real, Out> ? 8 : 4;
    static constexpr int kThreads = 32 * kWarps;
    static constexpr int kLeftRows = kWarps * kRows;
};

__device__ float exponential(float x) { return __expf(x); }  // relative error 2e-6 where the product is trusted
__device__ double exponential(double x) { return exp(x); }

/// kRows rows of a factor from `firstRow` on, which the threads of a block carry from global to shared memory together,
/// one slice of the depth after the other.
template <class Real, int kRows, int kThreads>
class Slices {
public:
    __device__ Slices(const Factor<Real>& factor, std::int64_t firstRow, int depth)
        : from_(factor.data + (firstRow + row(0)) * factor.stride + column()),
          shift_(factor.shift ? factor.shift + firstRow + row(0) : nullptr),
          step_(static_cast<int>(factor.stride) * kStep),
          left_(static_cast<int>(min(factor.rows - firstRow, static_cast<std::int64_t>(kRows))) - row(0)),
          depth_(depth - column()) {}
    __device__ void fetch(int firstDepth) {
        const bool inside = firstDepth < depth_;
#pragma unroll
        for (int n = 0; n < kParts; ++n)
            part_[n] = inside && n * kStep < left_ ? from_[n * step_ + firstDepth] : Real(0);
        if (!shift_ || !inside) return;
#pragma unroll
        for (int n = 0; n < kParts; ++n)
            if (n * kStep < left_) part_[n] = exponential(part_[n] - shift_[n * kStep]);
    }
    __device__ void store(Real (&tile)[kDepthTile][kRows + 4]) const {
#pragma unroll
        for (int n = 0; n < kParts; ++n) tile[column()][row(n)] = part_[n];
    }

private:
    static constexpr int kStep = kThreads / kDepthTile, kParts = kRows / kStep;
    __device__ static int column() { return static_cast<int>(threadIdx.x) % kDepthTile; }
    __device__ static int row(int n) { return static_cast<int>(threadIdx.x) / kDepthTile + n * kStep; }
    const Real *from_, *shift_;
    int step_, left_, depth_;
    Real part_[kParts];
};

template <class Real, class Out>
__global__ void __launch_bounds__(Tile<Real, Out>::kThreads) multiply(DeviceTasks<Product<Real, Out>> products) {
    using Shape = Tile<Real, Out>;
    constexpr int kRows = Shape::kRows;
    __shared__ __align__(16) Real left[kDepthTile][Shape::kLeftRows + 4];
    __shared__ __align__(16) Real right[kDepthTile][kRightTile + 4];
    const Product<Real, Out> task = ownTask(products);
    const std::int64_t block = blockIdx.x - task.firstBlock, leftTiles = blocksFor(task.left.rows, Shape::kLeftRows);
    const std::int64_t leftFrom = block % leftTiles * Shape::kLeftRows, rightFrom = block / leftTiles * kRightTile;
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int ownRow = static_cast<int>(threadIdx.x) / 32 * kRows;
    Slices<Real, Shape::kLeftRows, Shape::kThreads> leftSlices(task.left, leftFrom, task.depth);
    Slices<Real, kRightTile, Shape::kThreads> rightSlices(task.right, rightFrom, task.depth);
    Real sums[kRows][kColumns] = {};
    leftSlices.fetch(0);
    rightSlices.fetch(0);
    for (int depth = 0; depth < task.depth; depth += kDepthTile) {
        __syncthreads();
        leftSlices.store(left);
        rightSlices.store(right);
        __syncthreads();
        leftSlices.fetch(depth + kDepthTile);
        rightSlices.fetch(depth + kDepthTile);
#pragma unroll
        for (int k = 0; k < kDepthTile; ++k) {
            Real a[kRows], b[kColumns];
#pragma unroll
            for (int r = 0; r < kRows; ++r) a[r] = left[k][ownRow + r];
#pragma unroll
            for (int c = 0; c < kColumns; ++c) b[c] = right[k][lane + 32 * c];
#pragma unroll
            for (int r = 0; r < kRows; ++r)
#pragma unroll
                for (int c = 0; c < kColumns; ++c) sums[r][c] += a[r] * b[c];
        }
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
    return blocksFor(product.left.rows, Tile<Real, Out>::kLeftRows) * blocksFor(product.right.rows, kRightTile);
}

template <class Real, class Out>
void launchProducts(const DeviceTasks<Product<Real, Out>>& products, cudaStream_t stream) {
    if (products.blocks == 0) return;
    constexpr int kThreads = Tile<Real, Out>::kThreads;
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
