// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/cuda/operator/device_math.cuh"
#include "kernels/cuda/operator/readout.cuh"

namespace dimscope::kernels::cuda {

/// Rows of x lie this many halves apart: 16-byte aligned, and eight rows in different banks.
inline constexpr int kRowStride = kDim + 8;
inline constexpr int kQueryStride = kDim + 1;  // floats

/// What a row needs of one dimension: weight of the first square, mean of the (scaled) keys, amplitude.
struct alignas(16) DimensionTerms {
    float weight, mean, amplitude, unused;
};

/// What a block keeps in shared memory about its head and its kRows queries.
struct QueryRows {
    /// offset_c + weight_c . q of the mean key; from makeSquares on times 2^pairExponent
    float offset[kMaxColumns][kRows];
    float pairFloor[kRows];  ///< floor times 4^pairExponent
    DimensionTerms terms[kDim];
    float weight[kMaxColumns][kDim];  ///< weight_c of a prepared key
    float valueScale[kDim];
    float planOffset[kMaxColumns];
    std::uint32_t slices[kMaxColumns];
    float floor;
    int columns;
    std::int8_t positionOf[kDim];   ///< of a dimension; -1 behind head_dim
    int featureExponent[kRows];     ///< features are multiplied by 4^featureExponent
    int pairExponent[kRows];        ///< kappa of pairs by 4^pairExponent
    std::uint32_t constant[kRows];  ///< constant feature, rounded, and the rest
};

/// The two operands of the state readout.
struct FeatureOperands {
    std::uint8_t linear[kSlices][kRows * 32];  ///< swizzled tiles, features of the dimensions
    __half x[kRows * kRowStride];              ///< amplitude q; products of two are the features of pairs
};

__device__ __forceinline__ uint4 packEight(const float* x) {
    return {packHalves(x[0], x[1]), packHalves(x[2], x[3]), packHalves(x[4], x[5]), packHalves(x[6], x[7])};
}
/// Sixteen numbers as a row of swizzled tiles.
__device__ __forceinline__ void storeRow(const float (&x)[kTile], std::uint8_t* tiles, int row) {
    std::uint8_t* tile = tiles + row / kTile * kTile * 32;
    *reinterpret_cast<uint4*>(tile + swizzled(row % kTile, 0)) = packEight(x);
    *reinterpret_cast<uint4*>(tile + swizzled(row % kTile, 1)) = packEight(x + 8);
}

__device__ __forceinline__ float powerOfTwo(int exponent) { return ldexpf(1.0F, exponent); }

/// Largest e with 4^e x <= 4^limit; 0 where x is no positive number.
__device__ __forceinline__ int exponentFor(float x, int limit) {
    if (!(x > 0.0F) || !(x < 3.0e38F)) return 0;
    int exponent = 0;
    frexpf(x, &exponent);  // x < 2^exponent
    return max(-40, min(40, limit - (exponent + (exponent > 0 ? 1 : 0)) / 2));
}

__device__ void loadPlan(QueryRows& rows, const HeadPlan& plan, const KvPlan& kv, const KeyScaling& scaling) {
    const auto thread = static_cast<int>(threadIdx.x);
    if (thread == 0) {
        rows.floor = plan.floor;
        rows.columns = plan.columns;
    }
    if (thread < kMaxColumns) {
        rows.planOffset[thread] = plan.offset[thread];
        rows.slices[thread] = plan.slices[thread];
    }
    const int position = thread % kDim, dim = kv.dimension[position];
    const float scale = scaling.keyScale[position], inverse = 1.0F / scale;
    for (int c = thread / kDim; c < kMaxColumns; c += kRows / kDim)
        rows.weight[c][position] = plan.weight[c][position] * inverse;
    if (thread >= kDim) return;
    rows.terms[position] = {plan.weight[0][position] * inverse, scaling.mean[position] * scale,
                            plan.amplitude[position] * inverse, 0.0F};
    rows.valueScale[position] = 1.0F / scaling.valueScale[position];
    if (dim >= 0) rows.positionOf[dim] = static_cast<std::int8_t>(position);
}

/// Queries of the block in the order of the head's plan, zeros where a row or a dimension does not exist. Sixteen bytes
/// at a time where rows begin at such places.
template <class Number>
__device__ void loadQueries(const QueryRows& rows, const ReadoutJob& job, const KvPlan& kv, int head, std::int64_t row0,
                            float* queries) {
    constexpr int together = 16 / sizeof(Number), perRow = kDim / together;
    const DeviceHeads& query = job.sequence.query;
    const auto* from = static_cast<const Number*>(query.data) + head * query.headStride + row0 * query.rowStride;
    const std::int64_t left = job.first + job.count - row0;
    const auto thread = static_cast<int>(threadIdx.x);
    const bool aligned = reinterpret_cast<std::uintptr_t>(query.data) % 16 == 0 && job.sequence.headDim == kDim &&
                         (query.headStride | query.rowStride) % together == 0;
    if (!aligned) {
        for (int n = thread; n < kRows * kDim; n += kRows) {
            const int row = n / kDim, position = n % kDim, dim = kv.dimension[position];
            queries[row * kQueryStride + position] =
                row < left && dim >= 0 ? toFloat(from[row * query.rowStride + dim]) : 0.0F;
        }
        return;
    }
    uint4 loaded[perRow];
#pragma unroll
    for (int n = 0; n < perRow; ++n) {
        const int at = n * kRows + thread, row = at / perRow;
        loaded[n] = row < left ? *reinterpret_cast<const uint4*>(from + row * query.rowStride + at % perRow * together)
                               : uint4{0U, 0U, 0U, 0U};
    }
#pragma unroll
    for (int n = 0; n < perRow; ++n) {
        const int at = n * kRows + thread, row = at / perRow;
        const auto* numbers = reinterpret_cast<const Number*>(&loaded[n]);
#pragma unroll
        for (int i = 0; i < together; ++i)
            queries[row * kQueryStride + rows.positionOf[at % perRow * together + i]] = toFloat(numbers[i]);
    }
}
__device__ void loadQueries(const QueryRows& rows, const ReadoutJob& job, const KvPlan& kv, int head, std::int64_t row0,
                            float* queries) {
    switch (job.sequence.query.element) {
        case Element::BFloat16: return loadQueries<__nv_bfloat16>(rows, job, kv, head, row0, queries);
        case Element::Half: return loadQueries<__half>(rows, job, kv, head, row0, queries);
        case Element::Float: return loadQueries<float>(rows, job, kv, head, row0, queries);
    }
}

/// Offsets, scales and features of one row (this thread's).
__device__ void makeFeatures(QueryRows& rows, const float* queries, float largestKey, FeatureOperands& features) {
    const auto row = static_cast<int>(threadIdx.x);
    const int columns = rows.columns;
    const float* query = queries + row * kQueryStride;
    float sum = rows.planOffset[0], square = 0.0F, largest = 0.0F;
#pragma unroll 8
    for (int p = 0; p < kDim; ++p) {
        const DimensionTerms terms = rows.terms[p];
        const float q = query[p], term = terms.weight * q;
        sum += term * terms.mean;
        square += term * term;
        largest = fmaxf(largest, fabsf(terms.amplitude * q));
    }
    float constant = rows.floor, bound = rows.floor;
    std::uint32_t outlying = 0U;
#pragma unroll 1
    for (int c = 0; c < columns; ++c) {
        if (c > 0) {
            sum = rows.planOffset[c];
            square = 0.0F;
            outlying |= rows.slices[c];
#pragma unroll 1
            for (std::uint32_t left = rows.slices[c]; left != 0U; left &= left - 1U) {
                const int p0 = kTile * (__ffs(static_cast<int>(left)) - 1);
#pragma unroll
                for (int p = 0; p < kTile; ++p) {
                    const float term = rows.weight[c][p0 + p] * query[p0 + p];
                    sum += term * rows.terms[p0 + p].mean;
                    square += term * term;
                }
            }
        }
        rows.offset[c][row] = sum;
        constant += sum * sum;
        const float most = fabsf(sum) + sqrtf(square) * largestKey;
        bound += most * most;
    }
    // A linear feature 2 sum_c offset_c weight_c q is at most constant + x^2 (Cauchy and Schwarz).
    const int exponent = exponentFor(constant + largest * largest, 5);
    const float root = powerOfTwo(exponent), scale = root * root;
    rows.featureExponent[row] = exponent;
    rows.pairExponent[row] = exponentFor(bound, 7);
    const float rounded = __half2float(__float2half_rn(constant * scale));
    rows.constant[row] = packHalves(rounded, constant * scale - rounded);
    const float first = 2.0F * scale * rows.offset[0][row];
#pragma unroll 1
    for (int s = 0; s < kSlices; ++s) {
        float linear[kTile];
#pragma unroll
        for (int p = 0; p < kTile; ++p) linear[p] = first * rows.terms[kTile * s + p].weight;
#pragma unroll 1
        for (int c = 1; c < (outlying >> s & 1U ? columns : 0); ++c) {
            const float offset = 2.0F * scale * rows.offset[c][row];
#pragma unroll
            for (int p = 0; p < kTile; ++p) linear[p] += offset * rows.weight[c][kTile * s + p];
        }
        float x[kTile];
#pragma unroll
        for (int p = 0; p < kTile; ++p) {
            const float q = query[kTile * s + p];
            linear[p] *= q;
            x[p] = rows.terms[kTile * s + p].amplitude * root * q;
        }
        storeRow(linear, features.linear[s], row);
        auto* out = reinterpret_cast<uint4*>(features.x + row * kRowStride + kTile * s);
        out[0] = packEight(x);
        out[1] = packEight(x + 8);
    }
}

/// weight_c q of this thread's row for the squares of pairs, slice after slice of every square.
__device__ void makeSquares(QueryRows& rows, const float* queries, std::uint8_t* slices) {
    const auto row = static_cast<int>(threadIdx.x);
    const float root = powerOfTwo(rows.pairExponent[row]);
    std::uint8_t* tile = slices;
    rows.pairFloor[row] = rows.floor * root * root;
    for (int c = 0; c < rows.columns; ++c) {
        rows.offset[c][row] *= root;
        for (std::uint32_t left = rows.slices[c]; left != 0U; left &= left - 1U) {
            const int p0 = kTile * (__ffs(static_cast<int>(left)) - 1);
            const float *query = queries + row * kQueryStride + p0, *weight = rows.weight[c] + p0;
            float term[kTile];
#pragma unroll
            for (int p = 0; p < kTile; ++p) term[p] = weight[p] * root * query[p];
            storeRow(term, tile, row);
            tile += kRows * 32;
        }
    }
}

}  // namespace dimscope::kernels::cuda
