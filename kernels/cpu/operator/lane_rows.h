// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/cpu/operator/lane_math.h"

// Inner loops of kernels at chosen rows; see lane_body.h for why everything here is internal.

namespace dimscope::kernels::cpu {
namespace {

[[maybe_unused]] void projectRows(const ProjectTask& task) {
    for (Index c = 0; c < task.columns; c += kLanes)
        multiply<Into::Replace>(task.packed + c * task.depth, Factor{task.x, task.stride, task.depth, 1, 0}, task.rows,
                                task.start ? task.start + c : nullptr, task.out + c, task.outStride);
}

[[maybe_unused]] void rowProducts(const ProductTask& task) {
    float block[kKeyBlock * kLanes];  // (count, lanes)
    for (Index first = task.firstRow / kLanes * kLanes; first < task.rows; first += kLanes) {
        multiply<Into::Replace>(task.packed + first * task.depth, Factor{task.keys, task.stride, task.depth, 1, 0},
                                task.count, nullptr, block, kLanes);
        const Index rows = task.rows - first < kLanes ? task.rows - first : kLanes;
        for (Index r = 0; r < rows; ++r) {
            double* out = task.out + (first + r) * task.outStride;
            for (Index j = 0; j < task.count; ++j) out[j] = static_cast<double>(block[j * kLanes + r]);
        }
    }
}

/// The vector at column c of a row, `otherwise` behind its last column.
inline Vector loadPart(const float* row, Index c, Index columns, float otherwise) {
    Vector v = load(row + c);
    for (Index n = columns - c; n < kWidth; ++n) v[n] = otherwise;
    return v;
}

[[maybe_unused]] void rowMaxima(const float* x, Index stride, Index rows, Index columns, float* out) {
    for (Index r = 0; r < rows; ++r) {
        const float* row = x + r * stride;
        Vector m = spread(-__builtin_inff());
        for (Index c = 0; c < columns; c += kWidth) {
            const Vector v = c + kWidth <= columns ? load(row + c) : loadPart(row, c, columns, -__builtin_inff());
            m = v > m ? v : m;
        }
        float largest = m[0];
        for (int n = 1; n < kWidth; ++n) largest = m[n] > largest ? m[n] : largest;
        out[r] = largest;
    }
}

[[maybe_unused]] void rowExponentials(const ExpTask& task) {
    for (Index r = 0; r < task.rows; ++r) {
        float* row = task.x + r * task.stride;
        const float shift = task.shift[r], factor = task.factor ? task.factor[r] : 1.0F;
        Vector sum{};
        for (Index c = 0; c < task.columns; c += kWidth) {
            Vector x = c + kWidth <= task.columns ? load(row + c) : loadPart(row, c, task.columns, -__builtin_inff());
            x -= shift;
            x = x < task.floor ? spread(task.floor) : x;
            const Vector y = exponential(x * factor);
            store(row + c, y + task.add);
            sum += y;
        }
        if (task.sums) {
            float total = 0.0F;
            for (int n = 0; n < kWidth; ++n) total += sum[n];
            task.sums[r] = total;
        }
    }
}

/// Values of one tile of keys and one panel of columns: (count, lanes).
inline void packValues(const WeightedTask& task, Index firstKey, Index count, Index column, float* out) {
    const Index width = task.columns - column < kLanes ? task.columns - column : kLanes;
    for (Index j = 0; j < count; ++j) {
        const float* value = task.values + (firstKey + j) * task.valueStride + column;
        float* row = out + j * kLanes;
        if (task.valid && !task.valid[firstKey + j]) {
            for (Index n = 0; n < kLanes; ++n) row[n] = 0.0F;
        } else if (width == kLanes) {
            store(row, load(value));
            store(row + kWidth, load(value + kWidth));
        } else {
            for (Index n = 0; n < kLanes; ++n) row[n] = n < width ? value[n] : 0.0F;
        }
    }
}

/// Tile by tile of keys: sums in two levels, as the pairs of exact attention.
[[maybe_unused]] void weightedValues(const WeightedTask& task) {
    float panel[kKeyTile * kLanes];
    for (Index r = 0; r < task.rows; ++r)
        for (Index c = 0; c < (task.columns + kLanes - 1) / kLanes * kLanes; ++c)
            task.out[r * task.outStride + c] = 0.0F;
    Index row = 0;
    for (Index first = 0; first < task.keys; first += kKeyTile) {
        while (row < task.rows && task.end[row] <= first) ++row;
        const Index count = task.keys - first < kKeyTile ? task.keys - first : kKeyTile;
        for (Index c = 0; c < task.columns; c += kLanes) {
            packValues(task, first, count, c, panel);
            multiply<Into::Add>(panel,
                                Factor{task.weights + row * task.weightStride + first, task.weightStride, count, 1, 0},
                                task.rows - row, nullptr, task.out + row * task.outStride + c, task.outStride);
        }
    }
}

/// step(vector, place) on all of x, `otherwise` behind its end.
template <class Step>
inline void overWide(const double* x, Index count, double otherwise, Step step) {
    Index n = 0;
    for (; n + kWideWidth <= count; n += kWideWidth) step(loadWide(x + n), n);
    if (n == count) return;
    Wide last = spreadWide(otherwise);
    for (Index k = n; k < count; ++k) last[k - n] = x[k];
    step(last, n);
}

inline void storePart(double* x, Index place, Index count, Wide v) {
    if (place + kWideWidth <= count) {
        storeWide(x + place, v);
    } else {
        for (Index k = place; k < count; ++k) x[k] = v[k - place];
    }
}

inline double total(Wide v) {
    double sum = 0.0;
    for (int n = 0; n < kWideWidth; ++n) sum += v[n];
    return sum;
}

[[maybe_unused]] double largestOf(const double* x, Index count) {
    Wide m = spreadWide(-__builtin_inf());
    overWide(x, count, -__builtin_inf(), [&](Wide v, Index) { m = v > m ? v : m; });
    double largest = m[0];
    for (int n = 1; n < kWideWidth; ++n) largest = m[n] > largest ? m[n] : largest;
    return largest;
}

[[maybe_unused]] double sumOf(const double* x, Index count) {
    Wide even{}, odd{};  // two, so that additions overlap
    overWide(x, count, 0.0, [&](Wide v, Index) {
        const Wide next = even + v;
        even = odd;
        odd = next;
    });
    return total(even + odd);
}

[[maybe_unused]] double shiftedExpOf(double* x, Index count, double shift) {
    Wide sum{};
    overWide(x, count, -__builtin_inf(), [&](Wide v, Index n) {
        const Wide y = exponentialWide(v - shift);
        storePart(x, n, count, y);
        sum += y;
    });
    return total(sum);
}

[[maybe_unused]] Index logarithmsOf(double* x, const double* offset, Index count, double least) {
    WideBits lost{};
    overWide(x, count, 1.0, [&](Wide v, Index n) {
        const auto bad = reinterpret_cast<WideBits>(v >= least) + 1;  // 1 where not
        lost += bad;
        Wide y = logarithmWide(v);
        y = v >= least ? y : spreadWide(__builtin_nan(""));
        if (n + kWideWidth <= count) {
            storeWide(x + n, y + loadWide(offset + n));
        } else {
            for (Index k = n; k < count; ++k) x[k] = y[k - n] + offset[k];
        }
    });
    Index sum = 0;
    for (int n = 0; n < kWideWidth; ++n) sum += static_cast<Index>(lost[n]);
    return sum;
}

[[maybe_unused]] void sineCosineOf(const double* x, Index count, double* sine, double* cosine) {
    overWide(x, count, 0.0, [&](Wide v, Index n) {
        const SineCosine both = sineCosineWide(v);
        storePart(sine, n, count, both.sine);
        storePart(cosine, n, count, both.cosine);
    });
}

[[maybe_unused]] void quotientsOf(const double* x, Index count, double divisor, float* out) {
    for (Index n = 0; n < count; ++n) out[n] = static_cast<float>(x[n] / divisor);
}

constexpr RowLanes kRowLanes{projectRows, rowProducts,  rowMaxima,    rowExponentials, weightedValues, largestOf,
                             sumOf,       shiftedExpOf, logarithmsOf, sineCosineOf,    quotientsOf};

}  // namespace
}  // namespace dimscope::kernels::cpu
