// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/cpu/operator/lane_kernels.h"

// Included once by each lane_*.cpp and compiled there with that file's instruction set. Everything has internal linkage
// and nothing of the standard library is called: a shared inline function could otherwise be linked in from a file
// whose instructions the processor lacks. Vectors are the compiler's own (GCC and Clang).

namespace dimscope::kernels::cpu {
namespace {

#if defined(__AVX512F__)
constexpr int kWidth = 16;
constexpr int kColumns = 11;  // 22 sums, 2 panel vectors and a factor in 32 registers; 66 = 6 * 11
#elif defined(__AVX2__)
constexpr int kWidth = 8;
constexpr int kColumns = 6;  // 12 sums, 2 panel vectors and a factor in 16 registers
#else
constexpr int kWidth = 4;
constexpr int kColumns = 6;
#endif
constexpr Index kLanes = 2 * kWidth;

using Vector = float __attribute__((vector_size(kWidth * sizeof(float))));
using Bits = std::int32_t __attribute__((vector_size(kWidth * sizeof(float))));
using Unaligned = float __attribute__((vector_size(kWidth * sizeof(float)), aligned(4), may_alias));

inline Vector load(const float* p) { return *reinterpret_cast<const Unaligned*>(p); }
inline void store(float* p, Vector v) { *reinterpret_cast<Unaligned*>(p) = v; }
inline Vector spread(float x) { return x - Vector{}; }  // x - 0 is x for every x, 0 + x is not and would be computed

enum class Into { Replace, Add };

/// B of a product: entry (k, column) of block n at data[n * blockStride + column * stride + k].
struct Factor {
    const float* data;
    Index stride, depth, blocks, blockStride;
};

/// out(column, lanes) = or += start(lanes) + sum_k panel(k, lanes) * B(k, column): kColumns sums of two vectors in
/// registers; a call, so that no caller's loop takes registers away. Sums of one call start from zero, so that long
/// sums are made in two levels. The panel's rows are `step` apart.
template <int Columns, Into Mode>
__attribute__((noinline)) void tile(const float* panel, const Factor& b, const float* data, const float* start,
                                    float* out, Index outStride, Index step) {
    constexpr std::size_t kCount = Columns;
    Vector low[kCount], high[kCount];
#pragma GCC unroll 16
    for (int c = 0; c < Columns; ++c) {
        low[c] = start ? load(start) : Vector{};
        high[c] = start ? load(start + kWidth) : Vector{};
    }
    for (Index n = 0; n < b.blocks; ++n, data += b.blockStride)
        for (Index k = 0; k < b.depth; ++k, panel += step) {
            const Vector p = load(panel), q = load(panel + kWidth);
#pragma GCC unroll 16
            for (int c = 0; c < Columns; ++c) {
                const Vector x = spread(data[c * b.stride + k]);
                low[c] += p * x;
                high[c] += q * x;
            }
        }
#pragma GCC unroll 16
    for (int c = 0; c < Columns; ++c) {
        float* o = out + c * outStride;
        if constexpr (Mode == Into::Add) {
            low[c] += load(o);
            high[c] += load(o + kWidth);
        }
        store(o, low[c]);
        store(o + kWidth, high[c]);
    }
}

/// The last, fewer than kColumns, columns.
template <int Columns, Into Mode>
inline void edgeTile(Index count, const float* panel, const Factor& b, const float* data, const float* start,
                     float* out, Index outStride, Index step) {
    if constexpr (Columns > 0) {
        if (count == Columns)
            tile<Columns, Mode>(panel, b, data, start, out, outStride, step);
        else
            edgeTile<Columns - 1, Mode>(count, panel, b, data, start, out, outStride, step);
    }
}

template <Into Mode>
void multiply(const float* panel, const Factor& b, Index columns, const float* start, float* out, Index outStride,
              Index step = kLanes) {
    Index c = 0;
    for (; c + kColumns <= columns; c += kColumns)
        tile<kColumns, Mode>(panel, b, b.data + c * b.stride, start, out + c * outStride, outStride, step);
    edgeTile<kColumns - 1, Mode>(columns - c, panel, b, b.data + c * b.stride, start, out + c * outStride, outStride,
                                 step);
}

/// Rows become lanes; lanes and dimensions without data are 0.
inline void transposeRows(const float* rows, Index stride, Index count, Index width, Index dim, float* out) {
    for (Index n = 0; n < dim * kLanes; ++n) out[n] = 0.0F;
    for (Index lane = 0; lane < count; ++lane)
        for (Index r = 0; r < width; ++r) out[r * kLanes + lane] = rows[lane * stride + r];
}

[[maybe_unused]] void finishPanel(const FinishTask& task) {
    const Index values = task.columns - 1;
    const float* denominator = task.sums + values * kLanes;
    for (Index lane = 0; lane < task.count; ++lane) {
        const float d = denominator[lane];
        const float inverse = 1.0F / d;
        float* row = task.output + lane * task.stride;
        float check = d - d;  // 0, or NaN where something is not finite
        for (Index c = 0; c < values; ++c) {
            row[c] = task.sums[c * kLanes + lane] * inverse;
            check += row[c] - row[c];
        }
        task.bad[lane] = d > 0.0F && check == 0.0F ? 0 : 1;
    }
}

}  // namespace
}  // namespace dimscope::kernels::cpu
