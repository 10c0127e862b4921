// SPDX-License-Identifier: GPL-3.0-or-later
#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
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
constexpr int kPatience = 12;          // steps of a path without gain on validation rows
constexpr std::array<double, 3> kDrawDamping{1e-2, 1.0, 1e-1};  // whole steps and small ones
constexpr int kDraws = 180, kCheapDraws = 900;
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

/// How many rows a draw has: a quarter of them, a twelfth, or 32 as adam's batches have; six draws of each in turn.
Eigen::Index drawnCount(Eigen::Index rows, int draw) {
    const std::array<Eigen::Index, 3> counts{std::max<Eigen::Index>(64, rows / 4),
                                             std::max<Eigen::Index>(64, rows / 12), 32};
    return std::min(rows, counts[static_cast<std::size_t>(draw / 6) % counts.size()]);
}

/// `count` rows drawn with replacement: what the fit would have seen with fewer of them.
FitRows drawnRowsOf(const FitRows& rows, Eigen::Index count, kernels::RandomStream& random) {
    FitRows drawn(rows.mass.rows(), count, rows.valueDim);
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
    double check(const VectorXd& theta, int start, bool isCheckpoint) {
        const double mse = validation_.mse(kernel_.coefficients(theta));
        result_.consider(theta, mse, start, isCheckpoint);
        return mse;
    }
    /// A whole path from a start.
    void descend(LevenbergMarquardt& path, int start, const FitProgress& progress) {
        double least = std::numeric_limits<double>::infinity();  // of this path
        int since = 0;
        for (int n = 0; n < kIterations && since < kPatience && !progress.cancelled(); ++n) {
            const bool more = follow(path, start);
            since = last_ < least ? 0 : since + 1;
            least = std::min(least, last_);
            if (!more) return;
        }
    }
    /// One step of a path; false: it ends here. Quarters of the step count too: what validates best often lies before
    /// the least training error.
    bool follow(LevenbergMarquardt& path, int start) {
        const VectorXd before = path.theta();
        const bool more = path.advance(result_.updates);
        last_ = check(path.theta(), start, false);
        for (const double part : {0.25, 0.5, 0.75})
            last_ = std::min(last_, check(before + part * (path.theta() - before), start, false));
        return more;
    }

private:
    const LinearKernel& kernel_;
    const FitRows& validation_;
    FitResult result_;
    double last_ = 0.0;  // the best of the points that the last step validated
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
        search.descend(path, static_cast<int>(s), progress);
        if (path.mse() < least) {
            least = path.mse();
            optimum = path.theta();
        }
        progress.reach(static_cast<double>(s + 1) / parts);
    }
    const int draws = kernel.moments() <= kCheapMoments ? kCheapDraws : kDraws;
    for (int n = 0; n < draws && !progress.cancelled(); ++n) {
        const FitRows drawn = drawnRowsOf(train, drawnCount(train.count(), n), random);
        LevenbergMarquardt path(kernel, drawn, n % 2 == 0 ? optimum : search.result().theta,
                                kDrawDamping[static_cast<std::size_t>(n) % kDrawDamping.size()]);
        search.follow(path, search.result().start);
        progress.reach((static_cast<double>(starts.size()) + static_cast<double>(n + 1) / draws) / parts);
    }
    FitResult result = search.result();
    result.cancelled = progress.cancelled();
    return result;
}

}  // namespace dimscope::analysis
