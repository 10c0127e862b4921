// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "kernels/cpu/eigen_view.h"
#include "kernels/cpu/operator/lane_kernels.h"

namespace dimscope::kernels::cpu {

// Products in float with the instruction set of `lanes`; see operator/row_tasks.h.

/// Rows side by side, the right factor of a product with other rows.
class PackedRows {
public:
    explicit PackedRows(const LaneKernels& lanes) : lanes_(lanes) {}
    PackedRows(const LaneKernels& lanes, const MatrixView<float>& rows) : lanes_(lanes) { assign(rows); }
    /// In place of the rows that are here. place: (columns) of each column in the panels; null: as it stands.
    void assign(const MatrixView<float>& rows, const Index* place = nullptr);
    Index rows() const { return rows_; }
    Index depth() const { return depth_; }
    /// The panel (depth, lanes) of row `first` and those beside it.
    const float* panel(Index first) const { return panels_.data() + first * depth_; }

    /// out(r, p) = x_r . row p; out has a padded number of columns. Where most columns of x are 0 throughout, as under
    /// a restriction to few dimensions, the work goes with the others.
    void project(const MatrixView<float>& x, MatrixSpan<float> out) const;
    /// out(p, j) = row p . key j; rows before firstRow may be left out.
    void products(const MatrixView<float>& keys, MatrixSpan<double> out, Index firstRow = 0) const;

private:
    std::vector<float> panelsOf(const std::vector<Index>& columns) const;

    const LaneKernels& lanes_;
    Index rows_ = 0, depth_ = 0;
    std::vector<float> panels_;  // (panels, depth, lanes)
};

/// Columns of x with an entry other than 0 (one that is not a number counts), where they are fewer than half.
std::optional<std::vector<Index>> fewColumns(const MatrixView<float>& x);

/// `columns` and what is missing to whole panels.
Index padded(const LaneKernels& lanes, Index columns);

/// Rows [first, first + count).
template <class T>
MatrixView<T> middleRows(const MatrixView<T>& view, Index first, Index count) {
    return {view.data() + first * view.stride(), count, view.cols(), view.stride()};
}
/// Columns [first, first + count).
template <class T>
MatrixSpan<T> middleColumns(const MatrixSpan<T>& span, Index first, Index count) {
    return {span.data() + first, span.rows(), count, span.stride()};
}

/// step(first, count) for blocks of kKeyBlock keys.
template <class Step>
void forKeyBlocks(Index keys, Step step) {
    for (Index first = 0; first < keys; first += kKeyBlock) step(first, std::min(kKeyBlock, keys - first));
}

}  // namespace dimscope::kernels::cpu
