// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/indices.h"

namespace dimscope::kernels::cpu {

// The inner loops of kernels at chosen query rows, once per instruction set. A "packed" matrix has its rows side by
// side in panels of `lanes`: (panels, depth, lanes), lanes without a row are 0. A width is "padded" when it is a
// multiple of the lanes; what stands behind the last column is undefined.

/// Keys (or other rows) handled at a time: 16 KB of 64 dimensions and 64 KB of 256 features stay in the L2 cache; a
/// multiple of all lanes.
inline constexpr Index kKeyBlock = 64;

/// Rows side by side.
struct PackTask {
    const float* rows;  ///< (count, depth)
    Index stride, count, depth;
    const Index* place;  ///< (depth) of a column in its panel; null: as it stands
    float* packed;
};

/// out = x P^T, P packed.
struct ProjectTask {
    const float* x;  ///< (rows, depth)
    Index stride, rows, depth;
    const float* packed;
    Index columns;  ///< rows of P
    float* out;     ///< (rows, columns padded)
    Index outStride;
};

/// out(row, key) = row . key of packed rows and at most kKeyBlock keys. Rows before firstRow may be left out.
struct ProductTask {
    const float* packed;
    Index rows, firstRow, depth;
    const float* keys;  ///< (count, depth)
    Index stride, count;
    double* out;  ///< (rows, count)
    Index outStride;
};

/// out(row, key) = x_row . key of packed keys, so that nothing changes places.
struct PanelProductTask {
    const float* x;  ///< (rows, depth)
    Index stride, rows, depth;
    const float* packed;  ///< (depth, lanes) of each panel
    Index panelStride;    ///< from one panel to the next
    Index count;          ///< keys
    double* out;          ///< (rows, count)
    Index outStride;
};

/// x = exp(factor (max(x - shift, floor))) + add in every row; exponents above 88 count as 88.
struct ExpTask {
    float* x;  ///< (rows, columns padded)
    Index stride, rows, columns;
    const float* shift;   ///< (rows)
    const float* factor;  ///< (rows); null: 1
    float floor, add;
    float* sums;  ///< (rows) of the exponentials without `add`; may be null
};

/// x = 2^max(x - shift, floor), shift the largest entry of the column. Half the work of ExpTask.
struct PowerTask {
    float* x;  ///< (rows, lanes)
    Index rows;
    float floor;   ///< at least -127
    float* shift;  ///< (lanes)
    float* sums;   ///< (lanes) of the powers
};

/// out = weights times values.
struct WeightedTask {
    const float* weights;  ///< (rows, keys)
    Index weightStride, rows, keys;
    const float* values;  ///< (keys, columns)
    Index valueStride, columns;
    const std::uint8_t* valid;  ///< (keys) values of keys with 0 are not read; null: all are
    const Index* end;  ///< (rows) ascending; weights from here on are 0, and not read behind the tile of kKeyTile keys
    float* out;        ///< (rows, columns padded)
    Index outStride;
};

/// out = epsilon + |L^T (1, s_1, .., s_G)|^2, L packed by rows.
struct QuadraticTask {
    const double* sums;  ///< (groups, count)
    Index stride, count;
    int groups;
    const double* factor;
    double epsilon;
    double* out;  ///< (count)
};

struct RowLanes {
    void (*pack)(const PackTask&);
    void (*project)(const ProjectTask&);
    void (*products)(const ProductTask&);
    void (*panelProducts)(const PanelProductTask&);
    /// Largest entry of each row of (rows, columns).
    void (*maxima)(const float* x, Index stride, Index rows, Index columns, float* out);
    void (*exponentials)(const ExpTask&);
    void (*powers)(const PowerTask&);
    void (*weighted)(const WeightedTask&);

    /// |x + y|^2 of each row of (rows, columns) in double; y may be null.
    void (*squaredNorms)(const float* x, const float* y, Index stride, Index strideY, Index rows, Index columns,
                         double* out);

    // On arrays of doubles.
    double (*largest)(const double* x, Index count);  ///< -infinity of none; NaN is passed over
    double (*sum)(const double* x, Index count);
    /// x = x factor; the number of entries that were not at least `least` comes back.
    Index (*scaled)(double* x, const double* factor, Index count, double least);
    /// x = exp(x - shift), x at most shift, to 1e-14; the sum comes back.
    double (*shiftedExp)(double* x, Index count, double shift);
    /// x = ln x + offset to 1e-13, NaN where x is not at least `least` > 0; the number of those comes back.
    Index (*logarithms)(double* x, const double* offset, Index count, double least);
    /// Of angles below 1e6 to 4e-11.
    void (*sineCosine)(const double* x, Index count, double* sine, double* cosine);
    /// out = x / divisor.
    void (*quotients)(const double* x, Index count, double divisor, float* out);
    void (*quadratic)(const QuadraticTask&);
};

}  // namespace dimscope::kernels::cpu
