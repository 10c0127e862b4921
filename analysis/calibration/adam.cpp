// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <numeric>

#include "analysis/calibration/parameter_fit.h"

namespace dimscope::analysis {
namespace {

using Eigen::VectorXd;

/// First and second moments of the gradient, and the step they make (Kingma and Ba 2015).
class AdamState {
public:
    AdamState(const AdamSettings& settings, Eigen::Index parameters)
        : settings_(settings), mean_(VectorXd::Zero(parameters)), square_(VectorXd::Zero(parameters)) {}

    VectorXd step(VectorXd gradient) {
        const double norm = gradient.norm();
        if (norm > settings_.clip) gradient *= settings_.clip / norm;
        mean_ = settings_.beta1 * mean_ + (1.0 - settings_.beta1) * gradient;
        square_ = settings_.beta2 * square_ + (1.0 - settings_.beta2) * gradient.cwiseAbs2();
        ++count_;
        const double meanLeft = 1.0 - std::pow(settings_.beta1, count_);
        const double squareLeft = 1.0 - std::pow(settings_.beta2, count_);
        return -settings_.rate * (mean_ / meanLeft).array() /
               ((square_ / squareLeft).array().sqrt() + settings_.epsilon);
    }

private:
    const AdamSettings& settings_;
    VectorXd mean_, square_;
    int count_ = 0;
};

/// `count` of 0 .. size - 1 without replacement.
std::vector<std::size_t> drawnBatch(std::size_t size, std::size_t count, kernels::RandomStream& random) {
    std::vector<std::size_t> rows(size);
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    count = std::min(count, size);
    for (std::size_t n = 0; n < count; ++n) std::swap(rows[n], rows[n + random.below(size - n)]);
    rows.resize(count);
    return rows;
}

}  // namespace

FitResult fitAdam(const BatchProblem& problem, const std::vector<FitStart>& starts, const AdamSettings& settings,
                  kernels::RandomStream random, FitProgress& progress) {
    FitResult result;
    for (std::size_t s = 0; s < starts.size(); ++s) {
        const auto ordinal = static_cast<int>(s);
        double best = problem.validationMse(starts[s].checkpoint);  // of this start
        int bestUpdate = 0;
        result.consider(starts[s].checkpoint, best, ordinal, true);
        VectorXd theta = starts[s].theta;
        AdamState adam(settings, theta.size());
        for (int update = 1; update <= settings.updates && update - bestUpdate <= settings.patience; ++update) {
            if (progress.cancelled()) {
                result.cancelled = true;
                return result;
            }
            const std::size_t sequence = static_cast<std::size_t>(update - 1) % problem.rowsOfSequence.size();
            const std::vector<std::size_t> rows =
                drawnBatch(problem.rowsOfSequence[sequence], static_cast<std::size_t>(settings.batch), random);
            ++result.updates;
            theta += adam.step(problem.gradient(theta, sequence, rows));
            progress.reach((static_cast<double>(s) + static_cast<double>(update) / settings.updates) /
                           static_cast<double>(starts.size()));
            if (update % settings.every != 0) continue;
            const double mse = problem.validationMse(theta);
            if (mse < best) {
                best = mse;
                bestUpdate = update;
            }
            result.consider(theta, mse, ordinal, false);
        }
        progress.reach(static_cast<double>(s + 1) / static_cast<double>(starts.size()));
    }
    return result;
}

}  // namespace dimscope::analysis
