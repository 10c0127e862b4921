// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <Eigen/Core>
#include <vector>

#include "analysis/orders/softmax_orders.h"

namespace dimscope::analysis {

/// Least squares of an output from a few basis outputs, from inner products alone: rows need not be kept.
class OrderSums {
public:
    explicit OrderSums(Index parts)
        : gram_(Eigen::MatrixXd::Zero(parts, parts)), moments_(Eigen::VectorXd::Zero(parts)) {}
    /// `basis`: (parts) outputs of one row; `exact`: its exact output.
    void add(const std::vector<Eigen::VectorXd>& basis, const Eigen::VectorXd& exact);

    double energy() const { return energy_; }
    double relMse(const Eigen::VectorXd& factors) const;
    double cosine(const Eigen::VectorXd& factors) const;
    double square(const Eigen::VectorXd& factors) const { return factors.dot(gram_ * factors); }  ///< |fit|^2
    double along(const Eigen::VectorXd& factors) const { return factors.dot(moments_); }          ///< <fit, exact>
    /// Unconstrained least squares over the given parts; others 0. A part that depends on others gets 0.
    Eigen::VectorXd leastSquares(const std::vector<Index>& parts) const;
    /// `direction` times the factor that errs least; 0 where its output is 0.
    Eigen::VectorXd bestScaled(const Eigen::VectorXd& direction) const;
    /// Least squares of two parts inside [0, 1]^2: the interior point, or the best on an edge.
    Eigen::VectorXd insideBox(Index a, Index b) const;

private:
    double error(const Eigen::VectorXd& factors) const;
    Eigen::MatrixXd gram_;     // (parts, parts)
    Eigen::VectorXd moments_;  // (parts) with the exact output
    double energy_ = 0.0;
};

}  // namespace dimscope::analysis
