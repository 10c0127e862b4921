// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

#include "analysis/calibration/linear_kernel.h"
#include "kernels/run_control.h"

namespace dimscope::analysis {

/// Query rows reduced to what the squared error of a linear kernel depends on. With a_m = mean_j phi_m, A_m = mean_j
/// phi_m v_j and the exact output y, the error of a row is
///     |sum c_m A_m / sum c_m a_m - y|^2 = c^T K c / (c.a)^2,   K = E E^T,   E_m = A_m - a_m y
/// so keys and values are visited once, however often theta changes. K is a sum of squares: errors below 1e-8 of the
/// output (1e-16 of its square) drown in its rounding.
struct FitRows {
    Eigen::MatrixXd gram;  ///< (moments (moments + 1) / 2, rows): K, its lower triangle row by row
    Eigen::MatrixXd mass;  ///< (moments, rows): a
    kernels::Index valueDim = 0;

    FitRows() = default;
    FitRows(kernels::Index moments, kernels::Index rows, kernels::Index valueDimension);

    kernels::Index count() const { return mass.cols(); }
    /// K = error error^T of one row; (moments, value_dim).
    void setGram(kernels::Index row, const Eigen::MatrixXd& error);
    /// Mean squared error over rows and value coordinates; infinite where a denominator is not positive.
    double mse(const Eigen::VectorXd& c) const;
    /// Gradient of mse with respect to c.
    Eigen::VectorXd gradient(const Eigen::VectorXd& c) const;
    /// Derivatives of half the sum of squares with respect to c: J^T r, J^T J and the whole second derivative, which
    /// has the curvature of the residuals too. Kernels fit attention with large residuals, where J^T J alone is slow.
    struct NormalEquations {
        Eigen::VectorXd gradient;
        Eigen::MatrixXd gaussNewton, newton;
    };
    NormalEquations normalEquations(const Eigen::VectorXd& c) const;
};

/// Rows of one prompt; rows that see no key, or whose exact output is not finite, are left out. Ascending rows of a
/// causal prompt visit each key once where the features have factors, else every row visits its own. Throws Cancelled.
FitRows fitRows(const LinearKernel& kernel, const PairFeatures& features, const PromptTensors& prompt,
                std::span<const kernels::Index> rows, const kernels::RunControl& control);
/// All rows of all parts, in order.
FitRows joined(const std::vector<FitRows>& parts);

}  // namespace dimscope::analysis
