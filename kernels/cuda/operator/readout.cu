// SPDX-License-Identifier: GPL-3.0-or-later
// Output rows: features of the queries, made in registers, times the state before their chunk, then the pairs inside
// the chunk by squares, then the division. 32 rows to a warp, whose two tiles of 16 are the n-th and the n-th last of
// the block, so that all warps have as many pairs.
//
// What each step brought, 14/2 heads, 128k tokens, one H200, the whole operator in ms (*: sum of its kernels):
//   mma.sync, 256 rows to a block, elements loaded one by one                       9.68
//   plan of the head in shared memory, all code of features in loops                8.38*
//   numbers of a row loaded together, outputs by their type                         7.34*
//   wgmma in the readout, bulk copies, 128 rows to a block, chunks of 128           7.05
//   two blocks to a multiprocessor (queries and states share memory), segments of
//   a slab walked side by side                                                      4.89
//   running sums in the order of lanes                                              4.29
//   a stage is given back two calls later, so that products are not waited for      4.16
//   no correlations among bulk dimensions, outputs in pairs                         3.84

#include <algorithm>

#include "kernels/cuda/operator/matrix_products.cuh"
#include "kernels/cuda/operator/query_rows.cuh"
#include "kernels/cuda/operator/stage_ring.cuh"

namespace dimscope::kernels::cuda {
namespace {

constexpr int kStageSteps = 3, kStages = 5;  // of the state on its way through shared memory
static_assert(kSteps % kStageSteps == 0);
constexpr int kKeys = 64, kPairStages = 3;  // keys of a block of pairs

using StateRing = StageRing<kStages, kRows, kStageSteps * kStepWords>;
using PairRing = StageRing<kPairStages, kRows, kKeys / 8 * kKeyTileWords, kKeys / kTile * kStepWords>;

struct Shared {
    union {
        StateRing::Memory states;
        PairRing::Memory pairs;
        float queries[kRows * kQueryStride];  ///< by row and position
    };
    QueryRows rows;
    alignas(16) std::uint32_t correlation[kPairs][4][2];
    alignas(16) FeatureOperands features;  ///< last: then the slices of the squares, as many as the plan has
};

/// What a thread holds of its warp's two tiles.
struct Tiles {
    float sum[2][9][4] = {};
    int row[2];  ///< first row of each tile in the block
    int lane, g, c;
};

/// Left operands of the steps of one block row, made from x of two tiles. Blocks before `Correlated` have correlation 1
/// among themselves. Row 2 m + h of x: tile m, rows g + 8 h.
template <int Correlated>
class PairFeatures {
public:
    __device__ PairFeatures(const Shared& shared, const Tiles& tiles)
        : correlation_(reinterpret_cast<const uint2*>(shared.correlation) + tiles.c),
          twice_(tiles.c < 2 ? 0x1010U : 0x3232U) {
#pragma unroll
        for (int n = 0; n < 4; ++n) {
            row_[n] = shared.features.x + (tiles.row[n / 2] + tiles.g + n % 2 * 8) * kRowStride;
#pragma unroll
            for (int block = 0; block < kBlocks; ++block)  // dimensions 4 block + 2 (c % 2) and the next
                x_[n][block] = *reinterpret_cast<const std::uint32_t*>(row_[n] + 4 * block + 2 * (tiles.c % 2));
        }
    }
    /// The dimensions of the block row that this lane's features multiply with, each twice.
    __device__ __forceinline__ void enterRow(int blockRow) {
#pragma unroll
        for (int n = 0; n < 4; ++n) {
            const uint2 four = *reinterpret_cast<const uint2*>(row_[n] + 4 * blockRow);
            repeated_[n][0] = __byte_perm(four.x, 0U, twice_);
            repeated_[n][1] = __byte_perm(four.y, 0U, twice_);
        }
    }
    __device__ __forceinline__ uint2 factor(int step) const { return correlation_[min(step, kPairs - 1) * 4]; }
    __device__ __forceinline__ void make(uint2 factor, int block, std::uint32_t (&left)[2][4]) const {
#pragma unroll
        for (int n = 0; n < 8; ++n) {
            const std::uint32_t product =
                multiplyHalves(repeated_[n / 4 * 2 + n % 2][n % 4 / 2], x_[n / 4 * 2 + n % 2][block]);
            left[n / 4][n % 4] =
                block < Correlated ? product : multiplyHalves(product, n % 4 < 2 ? factor.x : factor.y);
        }
    }

private:
    const uint2* correlation_;
    std::uint32_t twice_, x_[4][kBlocks], repeated_[4][2];
    const __half* row_[4];
};

/// Left operands of the features of the dimensions and of the constant.
__device__ void plainFeatures(const Shared& shared, const Tiles& tiles, int step, std::uint32_t (&left)[2][4]) {
#pragma unroll
    for (int m = 0; m < 2; ++m) {
        if (step < kConstantStep) {
            loadLeft(left[m], shared.features.linear[step - kPairs] + tiles.row[m] * 32, tiles.lane);
            continue;
        }
        left[m][0] = left[m][1] = left[m][2] = left[m][3] = 0U;
#pragma unroll
        for (int h = 0; h < 2; ++h) {
            const std::uint32_t both = shared.rows.constant[tiles.row[m] + tiles.g + 8 * h];
            // Features 0, 1, 2 meet the state's rounded value, its rest and its rounded value again.
            if (tiles.c == 0) left[m][h] = __byte_perm(both, 0U, 0x1010U);
            if (tiles.c == 1) left[m][h] = both >> 16;
        }
    }
}

/// sums += features of the queries times the state.
template <int Correlated>
__device__ void readState(const Shared& shared, StateRing& ring, Tiles& tiles) {
    PairFeatures<Correlated> features(shared, tiles);
    std::uint32_t left[2][2][4];  // of the latest two steps
    const std::uint32_t* stage = nullptr;
    int step = 0;
#pragma unroll
    for (int blockRow = 0; blockRow <= kBlocks; ++blockRow) {
        if (blockRow < kBlocks) features.enterRow(blockRow);
#pragma unroll
        for (int block = blockRow < kBlocks ? blockRow : kBlocks - kSlices - 1; block < kBlocks; ++block, ++step) {
            if (step % kStageSteps == 0) stage = ring.next();
            const uint2 factor = features.factor(step);
            waitForProducts<1>();
            std::uint32_t(&own)[2][4] = left[step % 2];
            if (blockRow < kBlocks)
                features.make(factor, block, own);
            else
                plainFeatures(shared, tiles, step, own);
            beginProducts();
#pragma unroll
            for (int m = 0; m < 2; ++m)
                multiplyAddLater<64>(tiles.sum[m], own[m], stage + step % kStageSteps * kStepWords, tiles.lane);
            endProducts();
        }
    }
    waitForProducts<0>();
}

/// Kappa of 16 rows and kKeys keys as left operands of products with values.
__device__ __forceinline__ void pairKernel(const Shared& shared, const std::uint8_t* slices, const std::uint32_t* keys,
                                           int row, const Tiles& tiles, int firstHidden,
                                           std::uint32_t (&kappa)[kKeys / kTile][4]) {
    constexpr int keyTiles = kKeys / 8;
    const int columns = shared.rows.columns;
    const float floor0 = shared.rows.pairFloor[row + tiles.g], floor1 = shared.rows.pairFloor[row + tiles.g + 8];
    float sum[keyTiles][4];
#pragma unroll
    for (int n = 0; n < 4 * keyTiles; ++n) sum[n / 4][n % 4] = n % 4 < 2 ? floor0 : floor1;
#pragma unroll 1
    for (int column = 0; column < columns; ++column) {
        float term[keyTiles][4];
        const float offset0 = shared.rows.offset[column][row + tiles.g];
        const float offset1 = shared.rows.offset[column][row + tiles.g + 8];
#pragma unroll
        for (int n = 0; n < 4 * keyTiles; ++n) term[n / 4][n % 4] = n % 4 < 2 ? offset0 : offset1;
#pragma unroll 1
        for (std::uint32_t touched = shared.rows.slices[column]; touched != 0U; touched &= touched - 1U) {
            const int slice = __ffs(static_cast<int>(touched)) - 1;
            std::uint32_t left[4];
            loadLeft(left, slices + row * 32, tiles.lane);
            slices += kRows * 32;
            multiplyAdd<kKeyTileWords>(term, left, keys + slice * 64, tiles.lane);
        }
#pragma unroll
        for (int n = 0; n < 4 * keyTiles; ++n) sum[n / 4][n % 4] += term[n / 4][n % 4] * term[n / 4][n % 4];
    }
    if (firstHidden < kKeys)  // keys from firstHidden + row on are not visible to a row
#pragma unroll
        for (int n = 0; n < 4 * keyTiles; ++n)
            if (8 * (n / 4) + 2 * tiles.c + n % 2 >= firstHidden + tiles.g + n % 4 / 2 * 8) sum[n / 4][n % 4] = 0.0F;
#pragma unroll
    for (int n = 0; n < 2 * keyTiles; ++n)
        kappa[n / 4][n % 4] = packHalves(sum[n / 2][n % 2 * 2], sum[n / 2][n % 2 * 2 + 1]);
}

/// sums += kappa times values over the keys [key0, row] of each row, in blocks of 64 keys.
__device__ void addPairs(Shared& shared, const std::uint32_t* keyTiles, const std::uint32_t* values, int key0, int row0,
                         Tiles& tiles) {
    const auto* slices = reinterpret_cast<const std::uint8_t*>(&shared.features);
    const int blocks = (row0 + kRows - key0) / kKeys;
    PairRing ring(shared.pairs, blocks, keyTiles + std::int64_t{key0} / 8 * kKeyTileWords,
                  values + std::int64_t{key0} / kTile * kStepWords);
    for (int block = 0; block < blocks; ++block) {
        const std::uint32_t* keys = ring.next();
        const std::uint32_t* valueWords = keys + kKeys / 8 * kKeyTileWords;
#pragma unroll
        for (int m = 0; m < 2; ++m) {
            const int ahead = row0 + tiles.row[m] - (key0 + block * kKeys);  // of the tile's first row
            if (ahead + kTile <= 0) continue;
            std::uint32_t kappa[kKeys / kTile][4];
            pairKernel(shared, slices, keys, tiles.row[m], tiles, ahead + 1, kappa);
#pragma unroll
            for (int n = 0; n < kKeys / kTile; ++n)
                if (16 * n <= ahead + kTile - 1)
                    multiplyAdd<64>(tiles.sum[m], kappa[n], valueWords + n * kStepWords, tiles.lane);
        }
    }
}

/// Eight pairs of neighbouring outputs of one row, from column 2 c on, `left` columns being the row's.
template <class Number>
__device__ __forceinline__ void storeRowPairs(Number* to, int left, bool together, const float (&value)[8][2]) {
    struct alignas(2 * sizeof(Number)) Pair {
        Number first, second;
    };
    if (together) {
#pragma unroll
        for (int tile = 0; tile < 8; ++tile)
            reinterpret_cast<Pair*>(to)[4 * tile] = {fromFloat<Number>(value[tile][0]),
                                                     fromFloat<Number>(value[tile][1])};
        return;
    }
#pragma unroll
    for (int n = 0; n < 16; ++n)
        if (8 * (n / 2) + n % 2 < left) to[8 * (n / 2) + n % 2] = fromFloat<Number>(value[n / 2][n % 2]);
}

/// Divides and writes.
template <class Number>
__device__ void writeRows(const Shared& shared, const ReadoutJob& job, int head, std::int64_t row0,
                          const Tiles& tiles) {
    const DeviceOutput& out = job.sequence.output;
    const bool together = (out.headStride | out.rowStride) % 2 == 0 && job.sequence.valueDim == kDim &&
                          reinterpret_cast<std::uintptr_t>(out.data) % (2 * sizeof(Number)) == 0;
    auto* const base = static_cast<Number*>(out.data) + head * out.headStride + 2 * tiles.c;
#pragma unroll
    for (int n = 0; n < 4; ++n) {
        const float(&sum)[9][4] = tiles.sum[n / 2];
        const int h = n % 2;
        const std::int64_t row = row0 + tiles.row[n / 2] + tiles.g + 8 * h;
        const float denominator = __shfl_sync(~0U, sum[8][2 * h], tiles.lane & ~3);
        const float inverse = 1.0F / denominator;
        float value[8][2], zero = 0.0F;  // 0 as long as all values are finite
#pragma unroll
        for (int tile = 0; tile < 8; ++tile)
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                value[tile][i] = sum[tile][2 * h + i] * (inverse * shared.rows.valueScale[8 * tile + 2 * tiles.c + i]);
                zero += 0.0F * value[tile][i];
            }
        const unsigned quad = 0xFU << (tiles.lane & ~3);
        const bool finite = denominator > 0.0F && denominator < 3.0e38F && zero == 0.0F;
        const bool usable = (__ballot_sync(~0U, finite) & quad) == quad;
        if (row >= job.first + job.count) continue;
        if (tiles.c == 0) job.bad[head * job.sequence.rows + row] = usable ? 0 : 1;
        if (!usable)
#pragma unroll
            for (int i = 0; i < 16; ++i) value[i / 2][i % 2] = __int_as_float(0x7FC00000);
        storeRowPairs(base + row * out.rowStride, job.sequence.valueDim - 2 * tiles.c, together, value);
    }
}

template <int Correlated>
__global__ void __launch_bounds__(kRows, 2) readout(ReadoutJob job) {
    extern __shared__ __align__(128) std::uint8_t memory[];
    auto& shared = *reinterpret_cast<Shared*>(memory);
    const auto heads = job.sequence.queryHeads, head = static_cast<int>(blockIdx.x) % heads;
    const int kv = head / (heads / job.sequence.kvHeads);
    const int row0 = static_cast<int>(blockIdx.x) / heads * kRows;  // in the slab
    const int chunk = row0 / (job.chunkBlocks * kChunk);
    const bool byState = chunk * job.chunkBlocks >= job.fromChunk;
    const int key0 = byState ? chunk * job.chunkBlocks * kChunk : 0;
    const HeadPlan& plan = job.heads[head];
    const PreparedKeys& prepared = job.prepared;

    Tiles tiles;
    const auto warp = static_cast<int>(threadIdx.x) / 32;
    tiles.lane = static_cast<int>(threadIdx.x) % 32;
    tiles.g = tiles.lane / 4;
    tiles.c = tiles.lane % 4;
    tiles.row[0] = warp * kTile;
    tiles.row[1] = kRows - (warp + 1) * kTile;

    float largest = 0.0F;
    for (int n = key0 / kChunk; n <= row0 / kChunk; ++n)
        largest = fmaxf(largest, prepared.largestSquare[kv * (prepared.tokens / kChunk) + n]);
    loadPlan(shared.rows, plan, job.kv[kv], job.scaling[kv]);
    __syncthreads();
    loadQueries(shared.rows, job, job.kv[kv], head, job.first + row0, shared.queries);
    __syncthreads();
    makeFeatures(shared.rows, shared.queries, sqrtf(largest), shared.features);
    if (byState) {
        const std::uint32_t* state = job.before + (std::int64_t{kv} * job.stored + chunk) * kSteps * kStepWords;
        for (int n = static_cast<int>(threadIdx.x); n < kPairs * 8; n += kRows)
            (&shared.correlation[0][0][0])[n] = (&plan.correlation[0][0][0])[n];
        StateRing ring(shared.states, kSteps / kStageSteps, state);
        readState<Correlated>(shared, ring, tiles);
        const float scale = stateScale(job.position + key0);
#pragma unroll
        for (int n = 0; n < 4; ++n) {
            const int row = tiles.row[n / 2] + tiles.g + n % 2 * 8;
            const float factor =
                powerOfTwo(2 * (shared.rows.pairExponent[row] - shared.rows.featureExponent[row])) / scale;
#pragma unroll
            for (int t = 0; t < 9; ++t) {
                tiles.sum[n / 2][t][n % 2 * 2] *= factor;
                tiles.sum[n / 2][t][n % 2 * 2 + 1] *= factor;
            }
        }
        __syncthreads();  // the state went through the memory of the queries
        loadQueries(shared.rows, job, job.kv[kv], head, job.first + row0, shared.queries);
    }
    __syncthreads();
    makeSquares(shared.rows, shared.queries, reinterpret_cast<std::uint8_t*>(&shared.features));
    addPairs(shared, prepared.keyTiles + kv * prepared.tokens / 8 * kKeyTileWords,
             prepared.values + kv * prepared.tokens / kTile * kStepWords, key0, row0, tiles);
    switch (job.sequence.output.element) {
        case Element::BFloat16: return writeRows<__nv_bfloat16>(shared, job, head, job.first + row0, tiles);
        case Element::Half: return writeRows<__half>(shared, job, head, job.first + row0, tiles);
        case Element::Float: return writeRows<float>(shared, job, head, job.first + row0, tiles);
    }
}

template <int Correlated>
void launch(const ReadoutJob& job, cudaStream_t stream) {
    const auto features = static_cast<int>(sizeof(FeatureOperands));
    const int bytes = static_cast<int>(sizeof(Shared)) - features + std::max(features, job.mostSlices * kRows * 32);
    cudaFuncSetAttribute(readout<Correlated>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    const auto blocks = static_cast<unsigned>((job.count + kRows - 1) / kRows * job.sequence.queryHeads);
    readout<Correlated><<<blocks, kRows, bytes, stream>>>(job);
}

}  // namespace

void readOut(const ReadoutJob& job, cudaStream_t stream) {
    // Nearly all heads have their outlying dimensions in the last slice.
    constexpr int lastSlice = kBlocks - kTile / 4;
    if (job.correlatedBlock >= lastSlice)
        launch<lastSlice>(job, stream);
    else
        launch<0>(job, stream);
}

}  // namespace dimscope::kernels::cuda
