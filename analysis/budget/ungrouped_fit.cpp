// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/budget/ungrouped_fit.h"

#include <Eigen/QR>
#include <cmath>
#include <deque>
#include <numeric>

#include "kernels/attention_math.h"

namespace dimscope::analysis {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using kernels::packedIndex;

constexpr int kMostIterations = 200;
constexpr int kIdle = 25;                // iterations without a smaller validation error
constexpr std::size_t kRemembered = 10;  // steps that the inverse Hessian is built from
constexpr int kHalvings = 25;
constexpr double kStartSpread = 1e-2;  // of the start's largest entry, on the diagonal that it leaves empty
constexpr double kLeastGain = 1e-7;

MatrixXd unpackedFactor(const kernels::Oal& spec) {
    MatrixXd factor = MatrixXd::Zero(spec.groups + 1, spec.groups + 1);
    for (int r = 0; r <= spec.groups; ++r)
        for (int c = 0; c <= r; ++c) factor(r, c) = spec.factor[static_cast<std::size_t>(packedIndex(r, c))];
    return factor;
}

/// Lower-triangular with the same L L^T.
std::vector<double> packedFactor(const MatrixXd& factor) {
    const Eigen::HouseholderQR<MatrixXd> qr(factor.transpose());
    const MatrixXd upper = qr.matrixQR().triangularView<Eigen::Upper>();
    std::vector<double> packed;
    for (Index r = 0; r < factor.rows(); ++r)
        for (Index c = 0; c <= r; ++c) packed.push_back(upper(c, r));
    return packed;
}

/// Entries of M = L L^T, those off the diagonal twice, epsilon on the first (section 5.1).
VectorXd coefficientsOf(const MatrixXd& factor, double epsilon) {
    const MatrixXd m = factor * factor.transpose();
    const auto size = static_cast<int>(m.rows());
    VectorXd c(kernels::packedLength(size));
    for (int r = 0; r < size; ++r)
        for (int q = 0; q <= r; ++q) c[packedIndex(r, q)] = (r == q ? 1.0 : 2.0) * m(r, q);
    c[0] += epsilon;
    return c;
}

/// Error and its derivatives with respect to the entries of L: with c_rq = 2 M_rq the derivative by M is symmetric with
/// entries dmse/dc, and dM = dL L^T + L dL^T.
class UngroupedObjective {
public:
    UngroupedObjective(const UngroupedRows& rows, double epsilon, kernels::cpu::WorkerPool& pool)
        : rows_(rows), epsilon_(epsilon), pool_(pool) {}
    double operator()(const MatrixXd& factor, MatrixXd* gradient) const {
        VectorXd slope;
        const double mse = rows_.mse(coefficientsOf(factor, epsilon_), gradient != nullptr ? &slope : nullptr, pool_);
        if (gradient == nullptr) return mse;
        const auto size = static_cast<int>(factor.rows());
        MatrixXd byM(size, size);
        for (int r = 0; r < size; ++r)
            for (int q = 0; q <= r; ++q) byM(r, q) = byM(q, r) = slope[packedIndex(r, q)];
        *gradient = 2.0 * byM * factor;
        return mse;
    }

private:
    const UngroupedRows& rows_;
    double epsilon_;
    kernels::cpu::WorkerPool& pool_;
};

double inner(const MatrixXd& a, const MatrixXd& b) { return a.cwiseProduct(b).sum(); }

/// Two-loop recursion of L-BFGS (Nocedal 1980).
class RememberedSteps {
public:
    void remember(const MatrixXd& step, const MatrixXd& change) {
        if (!(inner(step, change) > 1e-12 * std::sqrt(inner(step, step) * inner(change, change)))) return;
        steps_.push_back({step, change});
        if (steps_.size() > kRemembered) steps_.pop_front();
    }
    void forget() { steps_.clear(); }
    bool empty() const { return steps_.empty(); }
    MatrixXd direction(MatrixXd gradient) const {
        std::vector<double> alphas(steps_.size());
        for (std::size_t n = steps_.size(); n-- > 0;) {
            alphas[n] = inner(steps_[n].step, gradient) / inner(steps_[n].step, steps_[n].change);
            gradient -= alphas[n] * steps_[n].change;
        }
        if (!steps_.empty())
            gradient *=
                inner(steps_.back().step, steps_.back().change) / inner(steps_.back().change, steps_.back().change);
        for (std::size_t n = 0; n < steps_.size(); ++n) {
            const double beta = inner(steps_[n].change, gradient) / inner(steps_[n].step, steps_[n].change);
            gradient += (alphas[n] - beta) * steps_[n].step;
        }
        return -gradient;
    }

private:
    struct Step {
        MatrixXd step, change;
    };
    std::deque<Step> steps_;
};

}  // namespace

kernels::Oal ungrouped(const kernels::Oal& grouped) {
    const auto dim = static_cast<int>(grouped.label.size());
    const MatrixXd own = unpackedFactor(grouped);
    MatrixXd factor = MatrixXd::Zero(dim + 1, dim + 1);
    factor.row(0).head(own.cols()) = own.row(0);
    for (int r = 0; r < dim; ++r)
        factor.row(r + 1).head(own.cols()) = own.row(grouped.label[static_cast<std::size_t>(r)] + 1);
    kernels::Oal spec{std::vector<int>(grouped.label.size()), dim, packedFactor(factor), grouped.epsilon};
    std::iota(spec.label.begin(), spec.label.end(), 0);
    return spec;
}

UngroupedFit fitUngrouped(const kernels::Oal& start, const UngroupedRows& train, const UngroupedRows& validation,
                          kernels::cpu::WorkerPool& pool, const RunControl& control) {
    UngroupedFit fit{.spec = ungrouped(start)};
    const UngroupedObjective trained(train, start.epsilon, pool), validated(validation, start.epsilon, pool);
    MatrixXd factor = unpackedFactor(fit.spec), best = factor, gradient;
    fit.validationMse = validated(factor, nullptr);
    // A factor of low rank has no slope along its empty columns (section 5.3).
    factor.diagonal().array() += kStartSpread * factor.cwiseAbs().maxCoeff();
    factor(0, 0) -= kStartSpread * best.cwiseAbs().maxCoeff();
    double mse = trained(factor, &gradient);
    RememberedSteps steps;
    for (int idle = 0; fit.iterations < kMostIterations && idle < kIdle; ++fit.iterations) {
        control.throwIfCancelled();
        MatrixXd direction = steps.direction(gradient);
        double slope = inner(direction, gradient);
        if (!(slope < 0.0)) {
            steps.forget();
            direction = -gradient;
            slope = inner(direction, gradient);
        }
        double length = steps.empty() ? 0.05 * factor.norm() / std::max(direction.norm(), 1e-300) : 1.0;
        MatrixXd next, nextGradient;
        double nextMse = mse;
        bool lower = false;
        for (int n = 0; n < kHalvings && !lower; ++n, length *= 0.5) {
            control.throwIfCancelled();
            next = factor + length * direction;
            nextMse = trained(next, &nextGradient);
            lower = std::isfinite(nextMse) && nextMse <= mse + 1e-4 * length * slope;
        }
        if (!lower || mse - nextMse < kLeastGain * mse) break;
        steps.remember(next - factor, nextGradient - gradient);
        factor = std::move(next);
        gradient = std::move(nextGradient);
        mse = nextMse;
        const double judged = validated(factor, nullptr);
        ++idle;
        if (judged < fit.validationMse) {
            fit.validationMse = judged;
            best = factor;
            idle = 0;
        }
        control.report(static_cast<float>(fit.iterations + 1) / static_cast<float>(kMostIterations));
    }
    fit.trainMse = trained(best, nullptr);
    fit.spec.factor = packedFactor(best);
    return fit;
}

}  // namespace dimscope::analysis
