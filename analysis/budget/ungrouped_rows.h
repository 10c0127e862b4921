// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <Eigen/Core>
#include <vector>

#include "analysis/calibration/head_rows.h"
#include "kernels/cpu/worker_pool.h"

namespace dimscope::analysis {

/// Query rows reduced to what the error of any quadratic in the single dimensions depends on. With z = (1, x_1, ..,
/// x_d) and its products packed as a lower triangle, a_m = mean_j phi_m and E_m = mean_j phi_m (v_j - y), a row errs by
/// |c^T E|^2 / (c.a)^2. Unlike FitRows, E itself is kept: (moments, value_dim) instead of moments squared, in float.
class UngroupedRows {
public:
    static std::size_t bytesPerRow(Index headDim, Index valueDim);

    /// Rows that see no key are left out. Throws Cancelled.
    void add(const PromptTensors& prompt, const std::vector<Index>& rows, const RunControl& control);
    Index count() const { return static_cast<Index>(errors_.size()); }

    /// Mean squared error over rows and value coordinates of coefficients c (moments), and with `gradient` its
    /// derivatives. The result does not depend on the threads.
    double mse(const Eigen::VectorXd& c, Eigen::VectorXd* gradient, kernels::cpu::WorkerPool& pool) const;

private:
    std::vector<Eigen::MatrixXf> errors_;  // (value_dim, moments) per row
    std::vector<Eigen::VectorXf> masses_;  // (moments) per row
};

}  // namespace dimscope::analysis
