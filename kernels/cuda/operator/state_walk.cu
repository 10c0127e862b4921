// SPDX-License-Identifier: GPL-3.0-or-later
// The state of a KV head is a product (features, tokens) x (tokens, columns) whose left side is made in registers. A
// warp takes one step of features through the tokens, so that its sums are the state before every chunk just when it
// gets there: no sum of a chunk goes to memory. A slab is cut into segments that go side by side; for what each begins
// with, their sums are taken first. The warps of a block share the tokens that pass through shared memory.
#include "kernels/cuda/operator/matrix_products.cuh"
#include "kernels/cuda/operator/stage_ring.cuh"
#include "kernels/cuda/operator/state_walk.cuh"

namespace dimscope::kernels::cuda {
namespace {

constexpr int kTilesPerChunk = kChunk / kTile;
constexpr int kStageTiles = 4, kStages = 5;  // tiles of 16 tokens on their way through shared memory

constexpr int kWarps = 8;
using TokenRing = StageRing<kStages, 32 * kWarps, kStageTiles * kTransposedWords, kStageTiles * kStepWords>;

/// Rows of the transposed keys whose products are the features of a step: rows `first` and `second` (features 0..7 and
/// 8..15) with row `other`, each as this lane needs it.
struct FeatureRows {
    int first, second, other;
};

__device__ int blockRowOf(int step) {
    int blockRow = 0;
    while (blockRow + 1 < kBlocks && step >= firstStep(blockRow + 1)) ++blockRow;
    return blockRow;
}

__device__ FeatureRows featureRows(int step, int lane) {
    const int g = lane / 4;
    if (step < kPairs) {
        const int blockRow = blockRowOf(step), blockCol = blockRow + step - firstStep(blockRow);
        return {4 * blockRow + g / 4, 4 * blockRow + 2 + g / 4, 4 * blockCol + g % 4};
    }
    if (step < kConstantStep) {
        const int slice = step - kPairs;
        return {kTile * slice + g, kTile * slice + 8 + g, kOnesRow};
    }
    return {g < 3 ? kOnesRow : kZerosRow, kZerosRow, kOnesRow};  // see storedSum
}

/// Products of two different blocks stand for both orders.
__device__ float multiplicity(int step) { return step < kPairs && step != firstStep(blockRowOf(step)) ? 2.0F : 1.0F; }

/// An 8 x 8 matrix of halves, one word to a lane, transposed.
__device__ std::uint32_t transposed(std::uint32_t word) {
    std::uint32_t out;
    asm("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(out) : "r"(word));
    return out;
}

/// Writes one step of a state as halves. The constant is kept in two: features 0 and 2 hold its rounded value, feature
/// 1 the rest.
__device__ __forceinline__ void storeStep(const float (&sum)[9][4], float scale, bool constant, int lane,
                                          std::uint32_t* out) {
#pragma unroll
    for (int n = 0; n < 18; ++n) {
        float low = sum[n / 2][n % 2 * 2] * scale, high = sum[n / 2][n % 2 * 2 + 1] * scale;
        if (constant && lane / 4 == 1) {
            low -= __half2float(__float2half_rn(low));
            high -= __half2float(__float2half_rn(high));
        }
        out[32 * n + lane] = transposed(packHalves(low, high));
    }
}

/// What a warp works on.
struct Walker {
    int lane, step;
    FeatureRows rows;
    bool exists;

    __device__ Walker()
        : lane(static_cast<int>(threadIdx.x) % 32),
          step(static_cast<int>(blockIdx.x) * kWarps + static_cast<int>(threadIdx.x) / 32),
          rows(featureRows(min(step, kConstantStep), lane)),
          exists(step < kSteps) {}
    __device__ std::int64_t numbersAt(std::int64_t state) const { return state * kSumNumbers + step * 36 * 32 + lane; }
};

/// chunk += features times values of one stage of tokens. Products go on behind it.
__device__ __forceinline__ void addStage(const Walker& walker, const std::uint32_t* stage, float (&chunk)[9][4],
                                         std::uint32_t (&left)[2][4]) {
    const int c = walker.lane % 4;
#pragma unroll
    for (int n = 0; n < kStageTiles; ++n) {
        const auto* pairs = reinterpret_cast<const uint2*>(stage + n * kTransposedWords) + c;
        const uint2 first = pairs[walker.rows.first * 4], second = pairs[walker.rows.second * 4];
        const uint2 other = pairs[walker.rows.other * 4];
        waitForProducts<1>();
        left[n % 2][0] = multiplyHalves(first.x, other.x);
        left[n % 2][1] = multiplyHalves(second.x, other.x);
        left[n % 2][2] = multiplyHalves(first.y, other.y);
        left[n % 2][3] = multiplyHalves(second.y, other.y);
        beginProducts();
        multiplyAddLater<64>(chunk, left[n % 2], stage + kStageTiles * kTransposedWords + n * kStepWords, walker.lane);
        endProducts();
    }
}

/// Chunks of a segment.
struct Segment {
    int begin, end;
};
__device__ Segment segmentOf(int chunks) {
    const auto each = (chunks + static_cast<int>(gridDim.z) - 1) / static_cast<int>(gridDim.z);
    const auto begin = min(static_cast<int>(blockIdx.z) * each, chunks);
    return {begin, min(begin + each, chunks)};
}

/// Walks one segment. `Stores`: sums begin with all tokens before and are stored before chunks; else they are the
/// segment's alone.
template <bool Stores>
__global__ void __launch_bounds__(32 * kWarps, 2)
    walk(PreparedKeys prepared, SlabStates states, std::int64_t position, int fromChunk) {
    extern __shared__ __align__(128) std::uint8_t memory[];
    constexpr int stagesPerChunk = kTilesPerChunk / kStageTiles;
    const Walker walker;
    const std::int64_t kv = blockIdx.y, tiles = prepared.tokens / kTile;
    const Segment segment = segmentOf(static_cast<int>(prepared.tokens / kChunk));
    const bool isLast = blockIdx.z + 1 == gridDim.z;
    const std::int64_t firstTile = kv * tiles + std::int64_t{segment.begin} * kTilesPerChunk;
    TokenRing ring(*reinterpret_cast<TokenRing::Memory*>(memory), (segment.end - segment.begin) * stagesPerChunk,
                   prepared.transposed + firstTile * kTransposedWords, prepared.values + firstTile * kStepWords);
    std::uint32_t* const before = states.before + (kv * states.stored * kSteps + walker.step) * kStepWords;
    float* const segments = states.segments + walker.numbersAt(kv * gridDim.z);
    const float multiple = multiplicity(walker.step);
    float sum[9][4] = {}, chunk[9][4] = {};
    if (Stores && walker.exists) {
        const float* begin = states.begin + walker.numbersAt(kv);
#pragma unroll
        for (int n = 0; n < 36; ++n) sum[n / 4][n % 4] = begin[32 * n];
        for (int earlier = 0; earlier < static_cast<int>(blockIdx.z); ++earlier)
#pragma unroll
            for (int n = 0; n < 36; ++n) sum[n / 4][n % 4] += segments[std::int64_t{earlier} * kSumNumbers + 32 * n];
    }
    std::uint32_t left[2][4];  // of the latest two tiles
    for (int number = segment.begin; number < segment.end; ++number) {
        if (Stores && walker.exists && number % states.chunkBlocks == 0 && number >= fromChunk)
            storeStep(sum, stateScale(position + std::int64_t{number} * kChunk) * multiple,
                      walker.step == kConstantStep, walker.lane,
                      before + std::int64_t{number / states.chunkBlocks} * kSteps * kStepWords);
#pragma unroll 1
        for (int n = 0; n < stagesPerChunk; ++n) {
            const std::uint32_t* stage = ring.next();
            addStage(walker, stage, chunk, left);
        }
        waitForProducts<0>();
#pragma unroll
        for (int n = 0; n < 36; ++n) {
            sum[n / 4][n % 4] += chunk[n / 4][n % 4];
            chunk[n / 4][n % 4] = 0.0F;
        }
    }
    if (!walker.exists || (Stores && !isLast)) return;
    float* const out = Stores ? states.end + walker.numbersAt(kv) : segments + std::int64_t{blockIdx.z} * kSumNumbers;
#pragma unroll
    for (int n = 0; n < 36; ++n) out[32 * n] = sum[n / 4][n % 4];
}

template <bool Stores>
void launch(const PreparedKeys& prepared, const SlabStates& states, int kvHeads, std::int64_t position, int fromChunk,
            cudaStream_t stream) {
    constexpr auto bytes = static_cast<int>(sizeof(TokenRing::Memory));
    cudaFuncSetAttribute(walk<Stores>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    const dim3 grid((kSteps + kWarps - 1) / kWarps, static_cast<unsigned>(kvHeads),
                    static_cast<unsigned>(segmentsOf(kvHeads)));
    walk<Stores><<<grid, 32 * kWarps, bytes, stream>>>(prepared, states, position, fromChunk);
}

}  // namespace

void walkStates(const PreparedKeys& prepared, const SlabStates& states, int kvHeads, std::int64_t position,
                int fromChunk, cudaStream_t stream) {
    launch<false>(prepared, states, kvHeads, position, fromChunk, stream);
    launch<true>(prepared, states, kvHeads, position, fromChunk, stream);
}

}  // namespace dimscope::kernels::cuda
