// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cuda/operator/device_math.cuh"
#include "kernels/cuda/operator/prepare_keys.cuh"

namespace dimscope::kernels::cuda {
namespace {

constexpr int kMeasuredTokens = 512, kMeasureLanes = 16;
constexpr int kTokens = 64, kThreads = 256;  // of a block that prepares
constexpr int kStride = kColumns;            // halves between rows in shared memory: 16 bytes aligned, no bank twice

/// 2^-round(log2 x), 1 where x is no positive number; exact, and far from the ends of float.
__device__ float toUnitSize(float x) {
    if (!(x > 0.0F) || !(x < 3.0e38F)) return 1.0F;
    return exp2f(-fminf(fmaxf(rintf(log2f(x)), -60.0F), 60.0F));
}

struct Moments {
    float sum = 0.0F, squares = 0.0F;
    __device__ void add(float x) {
        sum += x;
        squares += x * x;
    }
};

/// Sums of x - x_0 and its square over the measured tokens, valid in threads of lane 0.
__device__ Moments momentsOf(const DeviceHeads& heads, std::int64_t row0, int dim, int count, float shift,
                             Moments (&shared)[kMeasureLanes][kDim]) {
    Moments own;
    if (dim >= 0)
        for (int j = static_cast<int>(threadIdx.y); j < count; j += kMeasureLanes)
            own.add(loadElement(heads.data, heads.element, row0 + j * heads.rowStride + dim) - shift);
    shared[threadIdx.y][threadIdx.x] = own;
    __syncthreads();
    Moments all;
    for (int lane = 0; lane < kMeasureLanes; ++lane) {
        all.sum += shared[lane][threadIdx.x].sum;
        all.squares += shared[lane][threadIdx.x].squares;
    }
    __syncthreads();
    return all;
}

__global__ void measure(DeviceSequence sequence, const KvPlan* plan, KeyScaling* scaling) {
    __shared__ Moments shared[kMeasureLanes][kDim];
    const auto kv = static_cast<int>(blockIdx.x), position = static_cast<int>(threadIdx.x);
    const auto count = static_cast<int>(min(sequence.rows, static_cast<std::int64_t>(kMeasuredTokens)));
    const auto tokens = static_cast<float>(count);
    const int dim = plan[kv].dimension[position];
    const std::int64_t keyRow = kv * sequence.key.headStride, valueRow = kv * sequence.value.headStride;
    const float first = dim >= 0 ? loadElement(sequence.key.data, sequence.key.element, keyRow + dim) : 0.0F;
    const Moments key = momentsOf(sequence.key, keyRow, dim, count, first, shared);
    const Moments value =
        momentsOf(sequence.value, valueRow, position < sequence.valueDim ? position : -1, count, 0.0F, shared);
    if (threadIdx.y != 0) return;
    const float shift = key.sum / tokens, mean = first + shift;
    scaling[kv].mean[position] = isfinite(mean) ? mean : 0.0F;
    scaling[kv].keyScale[position] = toUnitSize(sqrtf(key.squares / tokens - shift * shift));
    scaling[kv].valueScale[position] = toUnitSize(sqrtf(value.squares / tokens));
}

struct Block {
    __half keys[kTokens][kStride];
    __half values[kTokens][kStride];
};

__device__ std::uint32_t wordAt(const __half* row, int column) {
    return *reinterpret_cast<const std::uint32_t*>(row + column);
}
__device__ std::uint32_t columnPair(const __half (&rows)[kTokens][kStride], int row, int column) {
    const __half2 pair = __halves2half2(rows[row][column], rows[row + 1][column]);
    return reinterpret_cast<const std::uint32_t&>(pair);
}

/// This thread's numbers of kTokens rows of a head, (x - mean) scale, to `rows`. Dimension -1: zeros.
template <class Number>
__device__ void loadColumn(const DeviceHeads& heads, int kv, std::int64_t first, std::int64_t end, int dim, int column,
                           float mean, float scale, __half (&rows)[kTokens][kStride]) {
    constexpr int rounds = kTokens * kDim / kThreads;
    const auto* from = static_cast<const Number*>(heads.data) + kv * heads.headStride + dim;
    const int row0 = static_cast<int>(threadIdx.x) / kDim;
    Number loaded[rounds];
#pragma unroll
    for (int n = 0; n < rounds; ++n) {
        const std::int64_t row = first + row0 + n * (kThreads / kDim);
        loaded[n] = dim >= 0 && row < end ? from[row * heads.rowStride] : fromFloat<Number>(mean);
    }
#pragma unroll
    for (int n = 0; n < rounds; ++n) {
        const int row = row0 + n * (kThreads / kDim);
        const bool exists = dim >= 0 && first + row < end;
        rows[row][column] = __float2half_rn(exists ? (toFloat(loaded[n]) - mean) * scale : 0.0F);
    }
}
__device__ void loadColumn(const DeviceHeads& heads, int kv, std::int64_t first, std::int64_t end, int dim, int column,
                           float mean, float scale, __half (&rows)[kTokens][kStride]) {
    switch (heads.element) {
        case Element::BFloat16: return loadColumn<__nv_bfloat16>(heads, kv, first, end, dim, column, mean, scale, rows);
        case Element::Half: return loadColumn<__half>(heads, kv, first, end, dim, column, mean, scale, rows);
        case Element::Float: return loadColumn<float>(heads, kv, first, end, dim, column, mean, scale, rows);
    }
}

__device__ void loadBlock(const DeviceSequence& sequence, std::int64_t first, std::int64_t end, int kv,
                          const KvPlan& plan, const KeyScaling& scaling, Block& block) {
    const int position = static_cast<int>(threadIdx.x) % kDim;
    loadColumn(sequence.key, kv, first, end, plan.dimension[position], position, scaling.mean[position],
               scaling.keyScale[position], block.keys);
    loadColumn(sequence.value, kv, first, end, position < sequence.valueDim ? position : -1, position, 0.0F,
               scaling.valueScale[position], block.values);
    for (int n = static_cast<int>(threadIdx.x); n < kTokens * (kColumns - kDim); n += kThreads) {
        const int token = n / (kColumns - kDim), column = n % (kColumns - kDim);
        block.values[token][kDim + column] = __float2half_rn(column == 0 && first + token < end ? 1.0F : 0.0F);
    }
}

__device__ void storeKeyTiles(const Block& block, std::uint32_t* tiles) {
    for (int n = static_cast<int>(threadIdx.x); n < kTokens / 8 * kKeyTileWords; n += kThreads) {
        const int tile = n / kKeyTileWords, part = n / 32 % 8, lane = n % 32;
        tiles[n] = wordAt(block.keys[8 * tile + lane / 4], 8 * part + 2 * (lane % 4));
    }
}

__device__ void storeTransposed(const Block& block, uint2* words) {
    constexpr std::uint32_t ones = 0x3C003C00U;
    for (int n = static_cast<int>(threadIdx.x); n < kTokens / kTile * kKeyRows * 4; n += kThreads) {
        const int token = n / (kKeyRows * 4) * kTile + 2 * (n % 4), row = n / 4 % kKeyRows;
        if (row < kDim)
            words[n] = {columnPair(block.keys, token, row), columnPair(block.keys, token + 8, row)};
        else
            words[n] = row == kOnesRow ? uint2{ones, ones} : uint2{0U, 0U};
    }
}

__device__ void storeValues(const Block& block, std::uint32_t* words) {
    for (int n = static_cast<int>(threadIdx.x); n < kTokens / kTile * kStepWords; n += kThreads) {
        const StepWord at = stepWord(n % kStepWords);
        const int token = n / kStepWords * kTile + 2 * (at.lane % 4) + 8 * at.which;
        words[n] = columnPair(block.values, token, 8 * at.tile + at.lane / 4);
    }
}

__device__ void storeLargestSquare(const Block& block, float* largest) {
    float square = 0.0F;
    if (threadIdx.x < kTokens)
        for (int position = 0; position < kDim; ++position) {
            const float k = __half2float(block.keys[threadIdx.x][position]);
            square += k * k;
        }
    // Floats that are not negative are ordered as their bits, and the largest does not depend on the order of threads.
    for (int apart = 16; apart > 0; apart /= 2) square = fmaxf(square, __shfl_xor_sync(~0U, square, apart));
    if (threadIdx.x < kTokens && threadIdx.x % 32 == 0)
        atomicMax(reinterpret_cast<int*>(largest), __float_as_int(square));
}

__global__ void __launch_bounds__(kThreads)
    prepare(DeviceSequence sequence, std::int64_t first, std::int64_t end, const KvPlan* plan,
            const KeyScaling* scaling, PreparedKeys prepared) {
    __shared__ Block block;
    const auto kv = static_cast<int>(blockIdx.y);
    const std::int64_t local = std::int64_t{blockIdx.x} * kTokens, at = kv * prepared.tokens + local;
    loadBlock(sequence, first + local, end, kv, plan[kv], scaling[kv], block);
    __syncthreads();
    storeKeyTiles(block, prepared.keyTiles + at / 8 * kKeyTileWords);
    storeTransposed(block, reinterpret_cast<uint2*>(prepared.transposed + at / kTile * kTransposedWords));
    storeValues(block, prepared.values + at / kTile * kStepWords);
    storeLargestSquare(block, prepared.largestSquare + at / kChunk);
}

}  // namespace

void measureKeys(const DeviceSequence& sequence, const KvPlan* plan, KeyScaling* scaling, cudaStream_t stream) {
    measure<<<static_cast<unsigned>(sequence.kvHeads), dim3(kDim, kMeasureLanes), 0, stream>>>(sequence, plan, scaling);
}

void prepareKeys(const DeviceSequence& sequence, std::int64_t first, std::int64_t count, const KvPlan* plan,
                 const KeyScaling* scaling, const PreparedKeys& prepared, cudaStream_t stream) {
    const dim3 grid(static_cast<unsigned>(prepared.tokens / kTokens), static_cast<unsigned>(sequence.kvHeads));
    prepare<<<grid, kThreads, 0, stream>>>(sequence, first, first + count, plan, scaling, prepared);
}

}  // namespace dimscope::kernels::cuda
