// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <limits>

#include "analysis/calibration/fit_progress.h"
#include "analysis/calibration/fit_rows.h"
#include "kernels/random_stream.h"

namespace dimscope::analysis {

/// Where a fit begins. The checkpoint is validated before the first update; the search begins beside it where the
/// checkpoint itself is one that no gradient leads away from (section 5.3).
struct FitStart {
    Eigen::VectorXd checkpoint, theta;
};

/// The best parameters met, judged by the validation rows; the earlier wins a tie.
struct FitResult {
    Eigen::VectorXd theta;
    double validationMse = std::numeric_limits<double>::infinity();
    int updates = 0;         ///< tried, over all starts
    int start = -1;          ///< ordinal of the start that won
    bool fromStart = false;  ///< no update was better than the checkpoint of the first start
    bool cancelled = false;  ///< stopped early; the best so far stands

    void consider(const Eigen::VectorXd& candidate, double mse, int startOrdinal, bool isCheckpoint);
};

/// Levenberg-Marquardt on all training rows from every start, then single steps on random parts of them around the best
/// points; every accepted step is validated. Validation rows choose and are never fitted. Adam gets its spread of
/// points from its batches; without one of its own this method would be compared with the luckiest of those.
FitResult fitGaussNewton(const LinearKernel& kernel, const FitRows& train, const FitRows& validation,
                         const std::vector<FitStart>& starts, kernels::RandomStream random, FitProgress& progress);

/// The published recipe (section 5.4).
struct AdamSettings {
    double rate = 0.02, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, clip = 10.0;
    int updates = 1000, batch = 32, every = 100, patience = 400;
};

/// What the recipe sees of a problem.
struct BatchProblem {
    std::vector<std::size_t> rowsOfSequence;  ///< training rows of each sequence
    /// Gradient of the mean squared error of some rows of one sequence, evaluated when an update asks for it.
    std::function<Eigen::VectorXd(const Eigen::VectorXd& theta, std::size_t sequence,
                                  const std::vector<std::size_t>& rows)>
        gradient;
    std::function<double(const Eigen::VectorXd& theta)> validationMse;
};

/// Adam from every start; each update takes one sequence in turn and rows of it drawn without replacement.
FitResult fitAdam(const BatchProblem& problem, const std::vector<FitStart>& starts, const AdamSettings& settings,
                  kernels::RandomStream random, FitProgress& progress);

}  // namespace dimscope::analysis
