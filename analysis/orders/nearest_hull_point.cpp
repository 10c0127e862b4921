// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/orders/nearest_hull_point.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/indices.h"

namespace dimscope::analysis {
namespace {

using kernels::Index;

/// The active points, with the Cholesky factor of 1 + p_a.p_b: it is regular where they are affinely independent, and
/// solving it against ones gives the point of their affine hull that is nearest to the origin.
class ActivePoints {
public:
    explicit ActivePoints(const Eigen::MatrixXd& points)
        : points_(points),
          chosen_(points.rows(), points.rows() + 1),
          factor_(Eigen::MatrixXd::Zero(points.rows() + 1, points.rows() + 1)) {}

    bool holds(Index point) const { return std::find(which_.begin(), which_.end(), point) != which_.end(); }
    /// False: the point depends on the others, as far as rounding tells, or there is no room.
    bool add(Index point) {
        const Index n = size();
        if (n == factor_.cols()) return false;
        chosen_.col(n) = points_.col(point);
        Eigen::VectorXd row = (chosen_.leftCols(n).transpose() * chosen_.col(n)).array() + 1.0;
        if (n > 0) factor_.topLeftCorner(n, n).triangularView<Eigen::Lower>().solveInPlace(row);
        const double whole = 1.0 + chosen_.col(n).squaredNorm(), rest = whole - row.squaredNorm();
        if (!(rest > 1e-14 * whole)) return false;
        factor_.row(n).head(n) = row.transpose();
        factor_(n, n) = std::sqrt(rest);
        which_.push_back(point);
        return true;
    }
    /// Keeps those with a positive weight; the others were on the edge of the hull.
    void keep(std::vector<double>& weights) {
        const std::vector<Index> before = std::move(which_);
        const std::vector<double> all = std::move(weights);
        which_.clear();
        weights.clear();
        for (std::size_t n = 0; n < before.size(); ++n)
            if (all[n] > 0.0 && add(before[n])) weights.push_back(all[n]);
        double sum = 0.0;
        for (const double weight : weights) sum += weight;
        for (double& weight : weights) weight /= sum;
    }
    Eigen::VectorXd affineWeights() const {
        const Index n = size();
        Eigen::VectorXd weights = Eigen::VectorXd::Ones(n);
        const auto factor = factor_.topLeftCorner(n, n);
        factor.triangularView<Eigen::Lower>().solveInPlace(weights);
        factor.transpose().triangularView<Eigen::Upper>().solveInPlace(weights);
        return weights / weights.sum();
    }
    Eigen::VectorXd combined(const std::vector<double>& weights) const {
        return chosen_.leftCols(size()) * Eigen::Map<const Eigen::VectorXd>(weights.data(), size());
    }
    Index size() const { return static_cast<Index>(which_.size()); }

private:
    const Eigen::MatrixXd& points_;
    std::vector<Index> which_;
    Eigen::MatrixXd chosen_;  // (dim, active)
    Eigen::MatrixXd factor_;  // lower
};

/// Moves the weights towards the nearest point of the affine hull, dropping points on the way, until that point lies
/// inside the hull of the active ones.
void moveInside(ActivePoints& active, std::vector<double>& weights) {
    while (true) {
        const Eigen::VectorXd target = active.affineWeights();
        double step = 1.0;
        std::size_t blocking = weights.size();
        for (std::size_t n = 0; n < weights.size(); ++n) {
            const double to = target[static_cast<Index>(n)];
            if (to > 0.0 || weights[n] <= to) continue;
            const double reach = weights[n] / (weights[n] - to);
            if (reach >= step) continue;
            step = reach;
            blocking = n;
        }
        for (std::size_t n = 0; n < weights.size(); ++n)
            weights[n] = std::max(0.0, (1.0 - step) * weights[n] + step * target[static_cast<Index>(n)]);
        if (blocking == weights.size()) return;
        weights[blocking] = 0.0;
        active.keep(weights);
    }
}

}  // namespace

HullDistance nearestHullPoint(const Eigen::MatrixXd& points, const Eigen::VectorXd& point,
                              const kernels::RunControl& control) {
    const double reach = std::sqrt((points.colwise() - point).colwise().squaredNorm().maxCoeff());
    HullDistance found;
    if (!(reach > 0.0)) return found;
    const Eigen::MatrixXd around = (points.colwise() - point) / reach;  // the origin is the point, the farthest is at 1
    ActivePoints active(around);
    std::vector<double> weights{1.0};
    Index nearest = 0;
    around.colwise().squaredNorm().minCoeff(&nearest);
    active.add(nearest);
    double distance = std::numeric_limits<double>::infinity(), least = 0.0;
    while (true) {
        control.throwIfCancelled();
        const Eigen::VectorXd at = active.combined(weights);
        const double length = at.norm();
        if (!(length < distance)) break;  // rounding: no point comes nearer
        distance = length;
        if (distance <= kHullTolerance) break;
        Index next = 0;
        const double support = (around.transpose() * at).minCoeff(&next);
        least = std::max(least, support / length);
        if (distance - least <= kHullTolerance || active.holds(next) || !active.add(next)) break;
        weights.push_back(0.0);
        moveInside(active, weights);
        ++found.steps;
    }
    found.distance = distance * reach;
    found.least = std::min(least, distance) * reach;  // both are the distance but for rounding where they cross
    return found;
}

}  // namespace dimscope::analysis
