// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/cpu/operator/lane_products.h"

// Inner loops of kernels at chosen rows; see lane_body.h for why everything here is internal.

namespace dimscope::kernels::cpu {
namespace {

/// The vector at column c of a row, `otherwise` behind its last column.
inline Vector loadPart(const float* row, Index c, Index columns, float otherwise) {
    Bits lane;
    for (int n = 0; n < kWidth; ++n) lane[n] = n;
    return lane < static_cast<std::int32_t>(columns - c) ? load(row + c) : spread(otherwise);
}

/// The lanes of v joined, halves first, in every lane.
template <int Step, class V, class Join, int... Lane>
inline V folded(V v, Join join, std::integer_sequence<int, Lane...> lanes) {
    if constexpr (Step == 0)
        return v;
    else
        return folded<Step / 2>(join(v, __builtin_shufflevector(v, v, (Lane ^ Step)...)), join, lanes);
}
template <class V>
inline auto largestOf(V v) {
    constexpr int kCount = sizeof(V) / sizeof(v[0]);
    return folded<kCount / 2>(
        v, [](V a, V b) { return a > b ? a : b; }, std::make_integer_sequence<int, kCount>{})[0];
}
template <class V>
inline auto total(V v) {
    constexpr int kCount = sizeof(V) / sizeof(v[0]);
    return folded<kCount / 2>(
        v, [](V a, V b) { return a + b; }, std::make_integer_sequence<int, kCount>{})[0];
}

[[maybe_unused]] void rowMaxima(const float* x, Index stride, Index rows, Index columns, float* out) {
    for (Index r = 0; r < rows; ++r) {
        const float* row = x + r * stride;
        Vector m = spread(-__builtin_inff());
        for (Index c = 0; c < columns; c += kWidth) {
            const Vector v = c + kWidth <= columns ? load(row + c) : loadPart(row, c, columns, -__builtin_inff());
            m = v > m ? v : m;
        }
        out[r] = largestOf(m);
    }
}

[[maybe_unused]] void columnPowers(const PowerTask& task) {
    const float* end = task.x + task.rows * kLanes;
    Vector low = load(task.x), high = load(task.x + kWidth);
    for (const float* x = task.x + kLanes; x < end; x += kLanes) {
        const Vector a = load(x), b = load(x + kWidth);
        low = a > low ? a : low;
        high = b > high ? b : high;
    }
    store(task.shift, low);
    store(task.shift + kWidth, high);
    const Vector floor = spread(task.floor);
    Vector lowSum{}, highSum{};
    for (float* x = task.x; x < end; x += kLanes) {
        const Vector a = load(x) - low, b = load(x + kWidth) - high;
        const Vector y = powerOfTwoInRange(floor > a ? floor : a), z = powerOfTwoInRange(floor > b ? floor : b);
        store(x, y);
        store(x + kWidth, z);
        lowSum += y;
        highSum += z;
    }
    store(task.sums, lowSum);
    store(task.sums + kWidth, highSum);
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
        if (task.sums) task.sums[r] = total(sum);
    }
}

/// Part of the values of one key: one row of each panel, panels kKeyTile * kLanes apart.
inline void packValues(const float* value, Index columns, float* out) {
    for (Index c = 0; c < columns; c += kLanes, out += kKeyTile * kLanes) {
        if (columns - c >= kLanes) {
            store(out, load(value + c));
            store(out + kWidth, load(value + c + kWidth));
        } else {
            for (Index n = 0; n < kLanes; ++n) out[n] = c + n < columns ? value[c + n] : 0.0F;
        }
    }
}

constexpr Index kValuePanels = 4;  // packed at once: 16 KB of AVX2 and 64 value dimensions

/// A tile of keys, whose values are read as they stand, for the rows that see it.
inline void addPlain(const WeightedTask& task, Index row, Index firstKey) {
    const Index count = task.keys - firstKey < kKeyTile ? task.keys - firstKey : kKeyTile;
    const Factor weights{task.weights + row * task.weightStride + firstKey, task.weightStride, count, 1, 0};
    for (Index c = 0; c < task.columns; c += kLanes)
        multiply<Into::Add>(task.values + firstKey * task.valueStride + c, weights, task.rows - row, nullptr,
                            task.out + row * task.outStride + c, task.outStride, task.valueStride);
}

/// A tile of keys and up to kValuePanels panels of columns, for the rows that see it.
inline void addWeighted(const WeightedTask& task, Index row, Index firstKey, Index firstColumn) {
    float panels[kValuePanels * kKeyTile * kLanes];
    const Index count = task.keys - firstKey < kKeyTile ? task.keys - firstKey : kKeyTile;
    const Index left = task.columns - firstColumn;
    const Index columns = left < kValuePanels * kLanes ? left : kValuePanels * kLanes;
    const float* value = task.values + firstKey * task.valueStride + firstColumn;
    for (Index j = 0; j < count; ++j, value += task.valueStride) {
        if (task.valid && !task.valid[firstKey + j]) {
            for (Index p = 0; p < kValuePanels; ++p)
                for (Index n = 0; n < kLanes; ++n) panels[(p * kKeyTile + j) * kLanes + n] = 0.0F;
        } else {
            packValues(value, columns, panels + j * kLanes);
        }
    }
    const Factor weights{task.weights + row * task.weightStride + firstKey, task.weightStride, count, 1, 0};
    for (Index c = 0; c < columns; c += kLanes)
        multiply<Into::Add>(panels + c * kKeyTile, weights, task.rows - row, nullptr,
                            task.out + row * task.outStride + firstColumn + c, task.outStride);
}

/// Tile by tile of keys: sums in two levels, as the pairs of exact attention.
[[maybe_unused]] void weightedValues(const WeightedTask& task) {
    for (Index r = 0; r < task.rows; ++r)
        for (Index c = 0; c < (task.columns + kLanes - 1) / kLanes * kLanes; ++c)
            task.out[r * task.outStride + c] = 0.0F;
    const bool plain = !task.valid && task.columns % kLanes == 0;
    Index row = 0;
    for (Index first = 0; first < task.keys; first += kKeyTile) {
        while (row < task.rows && task.end[row] <= first) ++row;
        if (plain) {
            addPlain(task, row, first);
        } else {
            for (Index c = 0; c < task.columns; c += kValuePanels * kLanes) addWeighted(task, row, first, c);
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

inline Wide loadWidePart(const double* x, Index place, Index count) {
    if (place + kWideWidth <= count) return loadWide(x + place);
    Wide v{};
    for (Index k = place; k < count; ++k) v[k - place] = x[k];
    return v;
}

[[maybe_unused]] void squaredNormsOf(const float* x, const float* y, Index stride, Index strideY, Index rows,
                                     Index columns, double* out) {
    for (Index r = 0; r < rows; ++r) {
        const float* a = x + r * stride;
        const float* b = y ? y + r * strideY : nullptr;
        Wide squares{};
        Index c = 0;
        for (; c + kWideWidth <= columns; c += kWideWidth) {
            const Wide v = b ? widened(a + c) + widened(b + c) : widened(a + c);
            squares += v * v;
        }
        double sum = total(squares);
        for (; c < columns; ++c) {
            const double v = static_cast<double>(a[c]) + (b ? static_cast<double>(b[c]) : 0.0);
            sum += v * v;
        }
        out[r] = sum;
    }
}

[[maybe_unused]] double largestOf(const double* x, Index count) {
    Wide m = spreadWide(-__builtin_inf());
    overWide(x, count, -__builtin_inf(), [&](Wide v, Index) { m = v > m ? v : m; });
    return largestOf(m);
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

[[maybe_unused]] Index scaledOf(double* x, const double* factor, Index count, double least) {
    WideBits lost{};
    overWide(x, count, least, [&](Wide v, Index n) {
        lost += reinterpret_cast<WideBits>(v >= least) + 1;  // 1 where not
        storePart(x, n, count, v * loadWidePart(factor, n, count));
    });
    return static_cast<Index>(total(lost));
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
    return static_cast<Index>(total(lost));
}

[[maybe_unused]] void sineCosineOf(const double* x, Index count, double* sine, double* cosine) {
    overWide(x, count, 0.0, [&](Wide v, Index n) {
        const SineCosine both = sineCosineWide(v);
        storePart(sine, n, count, both.sine);
        storePart(cosine, n, count, both.cosine);
    });
}

/// Products with the inverse, which costs a fifth of divisions, as long as that is a normal number.
[[maybe_unused]] void quotientsOf(const double* x, Index count, double divisor, float* out) {
    const double inverse = 1.0 / divisor;
    const double size = inverse < 0.0 ? -inverse : inverse;
    const bool normal = size >= __DBL_MIN__ && size <= __DBL_MAX__;
    Index n = 0;
    for (; normal && n + kWideWidth <= count; n += kWideWidth)
        *reinterpret_cast<Half*>(out + n) = __builtin_convertvector(loadWide(x + n) * inverse, Half);
    for (; n < count; ++n) out[n] = static_cast<float>(x[n] / divisor);
}

[[maybe_unused]] void quadraticOf(const QuadraticTask& task) {
    for (Index n = 0; n < task.count; n += kWideWidth) {
        Wide kappa = spreadWide(task.epsilon);
        for (int column = 0; column <= task.groups; ++column) {
            Wide entry = spreadWide(column == 0 ? task.factor[0] : 0.0);
            for (int row = column > 0 ? column : 1; row <= task.groups; ++row) {
                const double* sums = task.sums + (row - 1) * task.stride;
                entry += task.factor[row * (row + 1) / 2 + column] * loadWidePart(sums, n, task.count);
            }
            kappa += entry * entry;
        }
        storePart(task.out, n, task.count, kappa);
    }
}

constexpr RowLanes kRowLanes{packRows,     projectRows,    rowProducts,    panelProducts, rowMaxima,  rowExponentials,
                             columnPowers, weightedValues, squaredNormsOf, largestOf,     sumOf,      scaledOf,
                             shiftedExpOf, logarithmsOf,   sineCosineOf,   quotientsOf,   quadraticOf};

}  // namespace
}  // namespace dimscope::kernels::cpu
