// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cpu/fast_food.h"

#include <cmath>

namespace dimscope::kernels::cpu {
namespace {

/// Unnormalised Walsh-Hadamard matrix in Sylvester order.
RowMajor<double> hadamard(Eigen::Index size) {
    RowMajor<double> h = RowMajor<double>::Ones(1, 1);
    while (h.rows() < size) {
        RowMajor<double> next(2 * h.rows(), 2 * h.cols());
        next << h, h, h, -h;
        h = std::move(next);
    }
    return h;
}

Eigen::Map<const Eigen::VectorXd> vectorOf(const std::vector<double>& v) {
    return {v.data(), static_cast<Eigen::Index>(v.size())};
}

}  // namespace

RowMajor<double> fastFoodRows(const std::vector<double>& b, const std::vector<double>& g, const std::vector<double>& s,
                              const std::vector<int>& permutation) {
    const auto d = static_cast<Eigen::Index>(b.size());
    const RowMajor<double> h = hadamard(d);
    const RowMajor<double> first = h * vectorOf(b).asDiagonal();
    RowMajor<double> permuted(d, d);
    for (Eigen::Index r = 0; r < d; ++r)
        permuted.row(r) = g[static_cast<std::size_t>(r)] * first.row(permutation[static_cast<std::size_t>(r)]);
    return vectorOf(s).asDiagonal() * (h * permuted) / std::sqrt(static_cast<double>(d));
}

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
