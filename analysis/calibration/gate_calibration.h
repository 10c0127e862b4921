// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/calibration/calibration.h"
#include "analysis/calibration/fit_progress.h"
#include "analysis/calibration/head_rows.h"

namespace dimscope::analysis {

/// True for kernels whose output is linear in what is fitted, so that the least error has a closed form: the gates of
/// zeros_sm (in the box [0, 1]^2 with sigma0 = 0) and of linear_zeros (any value, sigma0 = 0), the scale of retnet.
bool hasClosedForm(const kernels::KernelSpec& spec);

/// Fits one of them. The better of the start and the closed form is kept, judged by the validation rows. Throws
/// Cancelled.
KernelFit fitGates(const CalibrationParams& params, const LayerInfo& layer, HeadIndex head,
                   const std::vector<HeadRows>& prompts, const kernels::KernelSpec& untrained, FitProgress& progress);

/// Least |basis g - exact|^2 over all g. (rows, gates), (rows)
Eigen::VectorXd leastSquares(const Eigen::MatrixXd& basis, const Eigen::VectorXd& exact);
/// The same over [0, 1]^2.
Eigen::Vector2d leastSquaresInBox(const Eigen::MatrixXd& basis, const Eigen::VectorXd& exact);

}  // namespace dimscope::analysis
