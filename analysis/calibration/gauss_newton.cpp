// SPDX-License-Identifier: GPL-3.0-or-later
#include <Eigen/Cholesky>
#include <cmath>

#include "analysis/calibration/parameter_fit.h"

namespace dimscope::analysis {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int kIterations = 60;
constexpr int kTrials = 20;            // of the damping in one iteration
constexpr double kGainLeft = 1e-5;     // stop where an iteration gains less than this share of the error
constexpr double kFirstDamping = 1.0;  // small first steps: they are validated
constexpr double kDrawDamping = 1e-2;
constexpr int kDraws = 48, kCheapDraws = 160;
constexpr Eigen::Index kCheapMoments = 32;  // up to here a draw costs less than preparing one row
constexpr double kLeastDamping = 1e-12;

/// Levenberg-Marquardt from one point.
class LevenbergMarquardt {
public:
    LevenbergMarquardt(const LinearKernel& kernel, const FitRows& rows, const VectorXd& start, double damping)
        : kernel_(kernel), rows_(rows), theta_(kernel.gauged(start)), mse_(mseAt(theta_)), damping_(damping) {}

    const VectorXd& theta() const { return theta_; }
    double mse() const { return mse_; }

    /// One accepted step; false: none lowers the error, or the gain is too small to go on. Counts the steps tried.
    bool advance(int& tried) {
        const FitRows::NormalEquations sums = rows_.normalEquations(kernel_.coefficients(theta_));
        const MatrixXd chain = kernel_.derivative(theta_);
        const MatrixXd hessian = chain.transpose() * sums.newton * chain + kernel_.curvature(theta_, sums.gradient);
        const VectorXd gradient = chain.transpose() * sums.gradient;
        // Marquardt's scaling from J^T J, floored: the scale of theta is a gauge, along which it vanishes.
        VectorXd scaling = (chain.transpose() * sums.gaussNewton * chain).diagonal();
        const double largest = scaling.maxCoeff();
        if (!(largest > 0.0) || !std::isfinite(largest)) return false;
        scaling = scaling.cwiseMax(1e-3 * largest);
        for (int trial = 0; trial < kTrials; ++trial, damping_ *= 4.0) {
            ++tried;
            const Eigen::LLT<MatrixXd> factor(hessian + MatrixXd((damping_ * scaling).asDiagonal()));
            if (factor.info() != Eigen::Success) continue;  // not convex here: more damping
            const VectorXd next = kernel_.gauged(theta_ - factor.solve(gradient));
            const double mse = next.allFinite() ? mseAt(next) : std::numeric_limits<double>::infinity();
            if (!(mse < mse_)) continue;
            const double gain = (mse_ - mse) / mse_;
            theta_ = next;
            mse_ = mse;
            damping_ = std::max(damping_ / 8.0, kLeastDamping);
            return gain > kGainLeft;
        }
        return false;
    }

private:
    double mseAt(const VectorXd& theta) const { return rows_.mse(kernel_.coefficients(theta)); }

    const LinearKernel& kernel_;
    const FitRows& rows_;
    VectorXd theta_;
    double mse_;
    double damping_;
};

/// A quarter of the rows: what the fit would have seen with fewer prompts.
FitRows drawnRowsOf(const FitRows& rows, kernels::RandomStream& random) {
    const Eigen::Index count = std::min(rows.count(), std::max<Eigen::Index>(64, rows.count() / 4));
    FitRows drawn{MatrixXd(rows.gram.rows(), count), MatrixXd(rows.mass.rows(), count), rows.valueDim};
    for (Eigen::Index n = 0; n < count; ++n) {
        const auto row = static_cast<Eigen::Index>(random.below(static_cast<std::uint64_t>(rows.count())));
        drawn.gram.col(n) = rows.gram.col(row);
        drawn.mass.col(n) = rows.mass.col(row);
    }
    return drawn;
}

/// The best point of all paths so far by validation.
class ValidatedSearch {
public:
    ValidatedSearch(const LinearKernel& kernel, const FitRows& validation) : kernel_(kernel), validation_(validation) {}

    const FitResult& result() const { return result_; }
    void check(const VectorXd& theta, int start, bool isCheckpoint) {
        result_.consider(theta, validation_.mse(kernel_.coefficients(theta)), start, isCheckpoint);
    }
    /// One step of a path; false: it ends here. Half the step counts too: what validates best often lies before the
    /// least training error.
    bool follow(LevenbergMarquardt& path, int start) {
        const VectorXd before = path.theta();
        const bool more = path.advance(result_.updates);
        check(0.5 * (before + path.theta()), start, false);
        check(path.theta(), start, false);
        return more;
    }

private:
    const LinearKernel& kernel_;
    const FitRows& validation_;
    FitResult result_;
};

}  // namespace

void FitResult::consider(const VectorXd& candidate, double mse, int startOrdinal, bool isCheckpoint) {
    if (theta.size() > 0 && !(mse < validationMse)) return;
    fromStart = isCheckpoint && startOrdinal == 0;
    theta = candidate;
    validationMse = mse;
    start = startOrdinal;
}

FitResult fitGaussNewton(const LinearKernel& kernel, const FitRows& train, const FitRows& validation,
                         const std::vector<FitStart>& starts, kernels::RandomStream random, FitProgress& progress) {
    ValidatedSearch search(kernel, validation);
    for (std::size_t s = 0; s < starts.size(); ++s) search.check(starts[s].checkpoint, static_cast<int>(s), true);
    VectorXd optimum = starts.front().checkpoint;
    double least = std::numeric_limits<double>::infinity();
    const double parts = static_cast<double>(starts.size()) + 1.0;
    for (std::size_t s = 0; s < starts.size(); ++s) {
        LevenbergMarquardt path(kernel, train, starts[s].theta, kFirstDamping);
        for (int n = 0; n < kIterations && !progress.cancelled(); ++n)
            if (!search.follow(path, static_cast<int>(s))) break;
        if (path.mse() < least) {
            least = path.mse();
            optimum = path.theta();
        }
        progress.reach(static_cast<double>(s + 1) / parts);
    }
    const int draws = kernel.moments() <= kCheapMoments ? kCheapDraws : kDraws;
    for (int n = 0; n < draws && !progress.cancelled(); ++n) {
        const FitRows drawn = drawnRowsOf(train, random);
        LevenbergMarquardt path(kernel, drawn, n % 2 == 0 ? optimum : search.result().theta, kDrawDamping);
        search.follow(path, search.result().start);
        progress.reach((static_cast<double>(starts.size()) + static_cast<double>(n + 1) / draws) / parts);
    }
    FitResult result = search.result();
    result.cancelled = progress.cancelled();
    return result;
}

}  // namespace dimscope::analysis
