// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cpu/packed_rows.h"

namespace dimscope::kernels::cpu {

std::optional<std::vector<Index>> fewColumns(const MatrixView<float>& x) {
    const auto few = [&x](Index count) { return 2 * count < x.cols(); };
    if (x.rows() == 0 || !few((eigen(x).row(0).array() != 0.0F).count())) return std::nullopt;  // as most are
    Eigen::Array<float, 1, Eigen::Dynamic> sums = Eigen::Array<float, 1, Eigen::Dynamic>::Zero(x.cols());
    for (Index r = 0; r < x.rows(); ++r) sums += eigen(x).row(r).array().abs();
    std::vector<Index> columns;
    for (Index c = 0; c < x.cols(); ++c)
        if (sums[c] != 0.0F) columns.push_back(c);
    return few(static_cast<Index>(columns.size())) ? std::optional(columns) : std::nullopt;
}

Index padded(const LaneKernels& lanes, Index columns) {
    return (columns + lanes.lanes - 1) / lanes.lanes * lanes.lanes;
}

void PackedRows::assign(const MatrixView<float>& rows, const Index* place) {
    rows_ = rows.rows();
    depth_ = rows.cols();
    panels_.resize(static_cast<std::size_t>(padded(lanes_, rows_) * depth_));
    lanes_.rows.pack({rows.data(), rows.stride(), rows_, depth_, place, panels_.data()});
}

void PackedRows::project(const MatrixView<float>& x, MatrixSpan<float> out) const {
    assert(x.cols() == depth_ && out.rows() == x.rows() && out.stride() >= padded(lanes_, rows_));
    if (const auto used = fewColumns(x)) {
        const auto depth = static_cast<Index>(used->size());
        const RowMajor<float> narrow = eigen(x)(Eigen::all, *used);
        const std::vector<float> panels = panelsOf(*used);
        lanes_.rows.project({narrow.data(), depth, x.rows(), depth, panels.data(), rows_, out.data(), out.stride()});
        return;
    }
    lanes_.rows.project({x.data(), x.stride(), x.rows(), depth_, panels_.data(), rows_, out.data(), out.stride()});
}

std::vector<float> PackedRows::panelsOf(const std::vector<Index>& columns) const {
    std::vector<float> out;
    out.reserve(panels_.size() / static_cast<std::size_t>(depth_) * columns.size());
    for (Index first = 0; first < rows_; first += lanes_.lanes)
        for (const Index k : columns) {
            const float* entry = panels_.data() + first * depth_ + k * lanes_.lanes;
            out.insert(out.end(), entry, entry + lanes_.lanes);
        }
    return out;
}

void PackedRows::products(const MatrixView<float>& keys, MatrixSpan<double> out, Index firstRow) const {
    assert(keys.cols() == depth_ && out.rows() == rows_ && out.cols() == keys.rows());
    forKeyBlocks(keys.rows(), [&](Index first, Index count) {
        lanes_.rows.products({panels_.data(), rows_, firstRow, depth_, keys.data() + first * keys.stride(),
                              keys.stride(), count, out.data() + first, out.stride()});
    });
}

}  // namespace dimscope::kernels::cpu
