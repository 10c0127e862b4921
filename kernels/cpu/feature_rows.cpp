// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cpu/feature_rows.h"

namespace dimscope::kernels::cpu {

RowForm FeatureRows::fill(std::span<const Index> rows, Index keys, MatrixSpan<double> out) const {
    const auto count = static_cast<Index>(rows.size());
    const Index width = padded(head_.lanes, features_);
    Matrix<float> query(count, width), block(kKeyBlock, width);
    queryFeatures(view(gatherRows(head_.query.view(), rows)), rows, {query.data(), count, features_, width});
    const PackedRows packed(head_.lanes, {query.data(), count, features_, width});
    forKeyBlocks(keys, [&](Index first, Index size) {
        keyFeatures(middleRows(head_.key.view(), first, size), first, {block.data(), size, features_, width});
        packed.products({block.data(), size, features_, width}, middleColumns(out, first, size),
                        rowsBefore(head_.mask, rows, first));
    });
    return RowForm::Kernel;
}

RowForm WideFeatureRows::fill(std::span<const Index> rows, Index keys, MatrixSpan<double> out) const {
    const RowMajor<double> query = queryFeatures(gatherRows(head_.query.view(), rows).cast<double>());
    forKeyBlocks(keys, [&](Index first, Index size) {
        const RowMajor<double> key = keyFeatures(eigen(middleRows(head_.key.view(), first, size)).cast<double>());
        const Index hidden = rowsBefore(head_.mask, rows, first), seen = query.rows() - hidden;
        eigen(out).block(hidden, first, seen, size).noalias() = query.bottomRows(seen) * key.transpose();
    });
    return RowForm::Kernel;
}

}  // namespace dimscope::kernels::cpu
