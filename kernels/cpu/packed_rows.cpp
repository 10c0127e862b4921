// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cpu/packed_rows.h"

namespace dimscope::kernels::cpu {

Index padded(const LaneKernels& lanes, Index columns) {
    return (columns + lanes.lanes - 1) / lanes.lanes * lanes.lanes;
}

PackedRows::PackedRows(const LaneKernels& lanes, const MatrixView<float>& rows)
    : lanes_(lanes), rows_(rows.rows()), depth_(rows.cols()) {
    panels_.resize(static_cast<std::size_t>(padded(lanes, rows_) * depth_));
    for (Index r = 0; r < rows_; ++r) {
        float* panel = panels_.data() + r / lanes.lanes * lanes.lanes * depth_ + r % lanes.lanes;
        for (Index k = 0; k < depth_; ++k) panel[k * lanes.lanes] = rows(r, k);
    }
}

void PackedRows::project(const MatrixView<float>& x, const float* start, MatrixSpan<float> out) const {
    assert(x.cols() == depth_ && out.rows() == x.rows() && out.stride() >= padded(lanes_, rows_));
    lanes_.rows.project(
        {x.data(), x.stride(), x.rows(), depth_, panels_.data(), rows_, start, out.data(), out.stride()});
}

void PackedRows::products(const MatrixView<float>& keys, MatrixSpan<double> out, Index firstRow) const {
    assert(keys.cols() == depth_ && out.rows() == rows_ && out.cols() == keys.rows());
    forKeyBlocks(keys.rows(), [&](Index first, Index count) {
        lanes_.rows.products({panels_.data(), rows_, firstRow, depth_, keys.data() + first * keys.stride(),
                              keys.stride(), count, out.data() + first, out.stride()});
    });
}

}  // namespace dimscope::kernels::cpu
