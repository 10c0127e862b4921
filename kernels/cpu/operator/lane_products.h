// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <utility>

#include "kernels/cpu/operator/lane_math.h"

// Rows side by side and their products; see lane_body.h for why everything here is internal.

namespace dimscope::kernels::cpu {
namespace {

/// kWidth vectors, transposed: lanes change places `Step` apart, then twice as far.
template <int Step, int... Lane>
inline void transpose(Vector* v, std::integer_sequence<int, Lane...> lanes) {
    if constexpr (Step < kWidth) {
#pragma GCC unroll 16
        for (int n = 0; n < kWidth; ++n) {
            if ((n & Step) != 0) continue;
            const Vector a = v[n], b = v[n + Step];
            v[n] = __builtin_shufflevector(a, b, ((Lane & Step) != 0 ? kWidth + Lane - Step : Lane)...);
            v[n + Step] = __builtin_shufflevector(a, b, ((Lane & Step) != 0 ? kWidth + Lane : Lane + Step)...);
        }
        transpose<2 * Step>(v, lanes);
    }
}

/// A whole panel; columns that fill no vector go one by one.
inline void packPanel(const float* rows, Index stride, Index depth, const Index* place, float* out) {
    const Index whole = depth / kWidth * kWidth;
    for (Index half = 0; half < kLanes; half += kWidth)
        for (Index k = 0; k < whole; k += kWidth) {
            Vector v[kWidth];
#pragma GCC unroll 16
            for (int n = 0; n < kWidth; ++n) v[n] = load(rows + (half + n) * stride + k);
            transpose<1>(v, std::make_integer_sequence<int, kWidth>{});
#pragma GCC unroll 16
            for (int n = 0; n < kWidth; ++n) store(out + (place ? place[k + n] : k + n) * kLanes + half, v[n]);
        }
    for (Index k = whole; k < depth; ++k)
        for (Index lane = 0; lane < kLanes; ++lane)
            out[(place ? place[k] : k) * kLanes + lane] = rows[lane * stride + k];
}

/// Lanes without a row are 0.
inline void packPart(const float* rows, Index stride, Index count, Index depth, const Index* place, float* out) {
    for (Index k = 0; k < depth; ++k)
        for (Index lane = 0; lane < kLanes; ++lane)
            out[(place ? place[k] : k) * kLanes + lane] = lane < count ? rows[lane * stride + k] : 0.0F;
}

[[maybe_unused]] void packRows(const PackTask& task) {
    for (Index r = 0; r < task.count; r += kLanes) {
        const float* rows = task.rows + r * task.stride;
        float* out = task.packed + r * task.depth;
        if (task.count - r >= kLanes)
            packPanel(rows, task.stride, task.depth, task.place, out);
        else
            packPart(rows, task.stride, task.count - r, task.depth, task.place, out);
    }
}

[[maybe_unused]] void projectRows(const ProjectTask& task) {
    for (Index c = 0; c < task.columns; c += kLanes)
        multiply<Into::Replace>(task.packed + c * task.depth, Factor{task.x, task.stride, task.depth, 1, 0}, task.rows,
                                nullptr, task.out + c, task.outStride);
}

template <int First, int... Lane>
inline Wide widenedLanes(Vector v, std::integer_sequence<int, Lane...>) {
    return __builtin_convertvector(__builtin_shufflevector(v, v, (First + Lane)...), Wide);
}
inline void storeWidened(double* out, Vector v) {
    constexpr std::make_integer_sequence<int, kWideWidth> kHalf{};
    storeWide(out, widenedLanes<0>(v, kHalf));
    storeWide(out + kWideWidth, widenedLanes<kWideWidth>(v, kHalf));
}

/// out(row, key) = block(key, row) of `rows` of the lanes.
inline void unpackProducts(const float* block, Index count, Index rows, double* out, Index outStride) {
    const Index whole = count / kWidth * kWidth;
    for (Index first = 0; first < rows; first += kWidth) {
        const Index here = rows - first < kWidth ? rows - first : kWidth;
        for (Index j = 0; j < whole; j += kWidth) {
            Vector v[kWidth];
#pragma GCC unroll 16
            for (int n = 0; n < kWidth; ++n) v[n] = load(block + (j + n) * kLanes + first);
            transpose<1>(v, std::make_integer_sequence<int, kWidth>{});
            for (Index n = 0; n < here; ++n) storeWidened(out + (first + n) * outStride + j, v[n]);
        }
    }
    for (Index r = 0; r < rows; ++r)
        for (Index j = whole; j < count; ++j) out[r * outStride + j] = static_cast<double>(block[j * kLanes + r]);
}

[[maybe_unused]] void rowProducts(const ProductTask& task) {
    float block[kKeyBlock * kLanes];  // (count, lanes)
    for (Index first = task.firstRow / kLanes * kLanes; first < task.rows; first += kLanes) {
        multiply<Into::Replace>(task.packed + first * task.depth, Factor{task.keys, task.stride, task.depth, 1, 0},
                                task.count, nullptr, block, kLanes);
        unpackProducts(block, task.count, task.rows - first < kLanes ? task.rows - first : kLanes,
                       task.out + first * task.outStride, task.outStride);
    }
}

/// Rows of products with one panel of keys.
inline void widenProducts(const float* block, Index rows, Index count, double* out, Index outStride) {
    for (Index r = 0; r < rows; ++r, block += kLanes, out += outStride) {
        if (count >= kLanes) {
            storeWidened(out, load(block));
            storeWidened(out + kWidth, load(block + kWidth));
        } else {
            for (Index j = 0; j < count; ++j) out[j] = static_cast<double>(block[j]);
        }
    }
}

[[maybe_unused]] void panelProducts(const PanelProductTask& task) {
    float block[kKeyBlock * kLanes];  // (rows, lanes)
    for (Index key = 0; key < task.count; key += kLanes)
        for (Index row = 0; row < task.rows; row += kKeyBlock) {
            const Index rows = task.rows - row < kKeyBlock ? task.rows - row : kKeyBlock;
            const Factor factor{task.x + row * task.stride, task.stride, task.depth, 1, 0};
            multiply<Into::Replace>(task.packed + key / kLanes * task.panelStride, factor, rows, nullptr, block,
                                    kLanes);
            widenProducts(block, rows, task.count - key, task.out + row * task.outStride + key, task.outStride);
        }
}

}  // namespace
}  // namespace dimscope::kernels::cpu
