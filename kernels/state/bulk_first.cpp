// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/state/bulk_first.h"

#include <Eigen/QR>

#include "kernels/attention_math.h"

namespace dimscope::kernels::state {

BulkFirst bulkFirst(const Oal& spec) {
    const int groups = spec.groups;
    // Row 0 of L is the constant; it becomes the last row. P L = (Q R)^T = R^T Q^T, so P M P^T = R^T R.
    Eigen::MatrixXd transposed = Eigen::MatrixXd::Zero(groups + 1, groups + 1);
    for (int row = 0; row <= groups; ++row)
        for (int col = 0; col <= row; ++col)
            transposed(col, row == 0 ? groups : row - 1) = spec.factor[static_cast<std::size_t>(packedIndex(row, col))];
    const Eigen::HouseholderQR<Eigen::MatrixXd> qr(transposed);
    const Eigen::MatrixXd& r = qr.matrixQR();  // upper triangle

    BulkFirst form{spec.epsilon + r(groups, groups) * r(groups, groups), {}, Matrix<double>(groups, groups)};
    for (int col = 0; col < groups; ++col) {
        form.offset.push_back(r(col, groups));
        for (int group = col; group < groups; ++group) form.weight(group, col) = r(col, group);
    }
    return form;
}

}  // namespace dimscope::kernels::state
