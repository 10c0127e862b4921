// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/orders/order_fits.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

namespace dimscope::analysis {

void OrderSums::add(const std::vector<Eigen::VectorXd>& basis, const Eigen::VectorXd& exact) {
    for (Index a = 0; a < moments_.size(); ++a) {
        const Eigen::VectorXd& left = basis[static_cast<std::size_t>(a)];
        for (Index b = 0; b < moments_.size(); ++b) gram_(a, b) += left.dot(basis[static_cast<std::size_t>(b)]);
        moments_[a] += left.dot(exact);
    }
    energy_ += exact.squaredNorm();
}

double OrderSums::error(const Eigen::VectorXd& factors) const {
    return square(factors) - 2.0 * along(factors) + energy_;
}

double OrderSums::relMse(const Eigen::VectorXd& factors) const {
    return energy_ > 0.0 ? std::max(0.0, error(factors)) / energy_ : kNaN;
}

double OrderSums::cosine(const Eigen::VectorXd& factors) const {
    const double length = square(factors);
    return length > 0.0 && energy_ > 0.0 ? along(factors) / std::sqrt(length * energy_) : kNaN;
}

Eigen::VectorXd OrderSums::leastSquares(const std::vector<Index>& parts) const {
    const auto n = static_cast<Index>(parts.size());
    Eigen::MatrixXd gram(n, n);
    Eigen::VectorXd moments(n), scale(n);
    for (Index a = 0; a < n; ++a) {
        const Index row = parts[static_cast<std::size_t>(a)];
        scale[a] = gram_(row, row) > 0.0 ? 1.0 / std::sqrt(gram_(row, row)) : 0.0;
    }
    for (Index a = 0; a < n; ++a) {
        moments[a] = scale[a] * moments_[parts[static_cast<std::size_t>(a)]];
        for (Index b = 0; b < n; ++b)
            gram(a, b) =
                scale[a] * scale[b] * gram_(parts[static_cast<std::size_t>(a)], parts[static_cast<std::size_t>(b)]);
    }
    // The shortest solution, as a least-squares solver on the rows themselves gives it; directions that rounding alone
    // makes are left out.
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(gram);
    Eigen::VectorXd solution = Eigen::VectorXd::Zero(n);
    for (Index m = 0; m < n; ++m)
        if (solver.eigenvalues()[m] > 1e-14 * solver.eigenvalues()[n - 1])
            solution +=
                solver.eigenvectors().col(m) * (solver.eigenvectors().col(m).dot(moments) / solver.eigenvalues()[m]);
    Eigen::VectorXd factors = Eigen::VectorXd::Zero(moments_.size());
    for (Index a = 0; a < n; ++a) factors[parts[static_cast<std::size_t>(a)]] = scale[a] * solution[a];
    return factors;
}

Eigen::VectorXd OrderSums::bestScaled(const Eigen::VectorXd& direction) const {
    const double length = square(direction);
    return length > 0.0 ? Eigen::VectorXd(direction * (along(direction) / length))
                        : Eigen::VectorXd::Zero(direction.size());
}

Eigen::VectorXd OrderSums::insideBox(Index a, Index b) const {
    const auto at = [&](double x, double y) {
        Eigen::VectorXd factors = Eigen::VectorXd::Zero(moments_.size());
        factors[a] = x;
        factors[b] = y;
        return factors;
    };
    const double aa = gram_(a, a), ab = gram_(a, b), bb = gram_(b, b), determinant = aa * bb - ab * ab;
    std::vector<Eigen::VectorXd> points;
    if (determinant > 0.0) {
        const double x = (bb * moments_[a] - ab * moments_[b]) / determinant;
        const double y = (aa * moments_[b] - ab * moments_[a]) / determinant;
        if (x >= 0.0 && x <= 1.0 && y >= 0.0 && y <= 1.0) points.push_back(at(x, y));
    }
    for (const double edge : {0.0, 1.0}) {
        points.push_back(at(edge, bb > 0.0 ? std::clamp((moments_[b] - edge * ab) / bb, 0.0, 1.0) : 0.0));
        points.push_back(at(aa > 0.0 ? std::clamp((moments_[a] - edge * ab) / aa, 0.0, 1.0) : 0.0, edge));
    }
    return *std::min_element(points.begin(), points.end(),
                             [&](const auto& p, const auto& q) { return error(p) < error(q); });
}

}  // namespace dimscope::analysis
