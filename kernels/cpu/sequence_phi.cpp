// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cpu/sequence_phi.h"

namespace dimscope::kernels::cpu {

double sequencePhi(const FloatHead& head) {
    const auto q = eigen(head.query.view());
    const auto k = eigen(head.key.view());
    Eigen::RowVectorXd qSum = Eigen::RowVectorXd::Zero(q.cols()), kSum = qSum;
    double squares = 0.0, count = 0.0;
    for (Index i = 0; i < q.rows(); ++i) {
        if (!head.mask.isValid(i)) continue;
        qSum += q.row(i).cast<double>();
        kSum += k.row(i).cast<double>();
        squares += q.row(i).cast<double>().squaredNorm() + k.row(i).cast<double>().squaredNorm();
        count += 1.0;
    }
    return head.scale * (squares / count + 2.0 * qSum.dot(kSum) / (count * count));
}

}  // namespace dimscope::kernels::cpu
