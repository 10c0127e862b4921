// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <Eigen/Core>
#include <memory>
#include <vector>

#include "kernels/cpu/worker_pool.h"
#include "kernels/matrix.h"

namespace dimscope::analysis {

using HeadRowsMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// W_o of one layer, for squared norms of projected rows. Single heads go through W_h^T W_h, value_dim squared per row
/// instead of value_dim times model_dim; nothing of the size rows x model_dim is kept.
class ProjectedOutputs {
public:
    /// `projection`: (model_dim, heads * value_dim).
    ProjectedOutputs(std::shared_ptr<const kernels::Matrix<double>> projection, kernels::Index valueDim);

    kernels::Index modelDim() const { return projection_->rows(); }
    /// (rows) |sum_h W_h x_h|^2; `heads`: one matrix (rows, value_dim) per query head. The result does not depend on
    /// the threads. Throws Cancelled.
    Eigen::VectorXd jointNorms(const std::vector<HeadRowsMatrix>& heads, kernels::cpu::WorkerPool& pool,
                               const kernels::RunControl& control) const;
    /// (rows) |W_h x|^2 of one head.
    Eigen::VectorXd singleNorms(const HeadRowsMatrix& rows, int head) const;

private:
    std::shared_ptr<const kernels::Matrix<double>> projection_;
    kernels::Index valueDim_;
    std::vector<Eigen::MatrixXd> grams_;  // (value_dim, value_dim) per head
};

}  // namespace dimscope::analysis
