// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/calibration/fit_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dimscope::analysis {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using kernels::Index;

constexpr Index kCachedRows = 32;  // rows whose K stays in the cache between the two sums that need it

double* triangleRow(double* packed, Index r) { return packed + r * (r + 1) / 2; }
const double* triangleRow(const double* packed, Index r) { return packed + r * (r + 1) / 2; }

/// c^T K c for every row without K c: the product of K's triangle with that of c c^T, off the diagonal twice.
VectorXd squares(const FitRows& rows, const VectorXd& c) {
    VectorXd products(rows.gram.rows());
    for (Index r = 0; r < c.size(); ++r) {
        Eigen::Map<VectorXd> row(triangleRow(products.data(), r), r + 1);
        row = (2.0 * c[r]) * c.head(r + 1);
        row[r] = c[r] * c[r];
    }
    return (rows.gram.transpose() * products).cwiseMax(0.0);
}

/// K c of one row.
void multiply(const double* packed, const VectorXd& c, double* out) {
    Eigen::Map<VectorXd> result(out, c.size());
    result.setZero();
    for (Index r = 0; r < c.size(); ++r) {
        const Eigen::Map<const VectorXd> row(triangleRow(packed, r), r + 1);
        result[r] += row.dot(c.head(r + 1));
        result.head(r) += c[r] * row.head(r);
    }
}

/// sum_j phi_m (v_j, 1) over the keys that a query sees.
class KeySums {
public:
    KeySums(const PairFeatures& features, const PromptTensors& prompt, std::span<const Index> rows)
        : features_(features), prompt_(prompt) {
        const bool grows = prompt.causal && prompt.window == 0 && std::is_sorted(rows.begin(), rows.end());
        if (!features.factors() || !grows) return;
        state_ = MatrixXd::Zero(features.factors()->key.cols(), prompt.valueAndOne.cols());
        key_ = features.factors()->key;
        for (std::size_t j = 0; j < prompt.valid.size(); ++j)
            if (prompt.valid[j] == 0) key_.row(static_cast<Index>(j)).setZero();
    }

    MatrixXd of(Index i, const PromptTensors::Visible& keys) {
        if (state_.size() > 0) {
            const Index more = i + 1 - summed_;
            state_.noalias() +=
                key_.middleRows(summed_, more).transpose() * prompt_.valueAndOne.middleRows(summed_, more);
            summed_ = i + 1;
            return features_.factors()->query.row(i).asDiagonal() * state_;
        }
        features_.fill(i, keys.first, keys.count, phi_);
        if (keys.mask.sum() < static_cast<double>(keys.count)) phi_.array().colwise() *= keys.mask.array();
        return phi_.transpose() * prompt_.valueAndOne.middleRows(keys.first, keys.count);
    }

private:
    const PairFeatures& features_;
    const PromptTensors& prompt_;
    MatrixXd phi_;
    MatrixXd key_, state_;  // b of the valid keys, sum_j b(k_j) (v_j, 1); empty: pair by pair
    Index summed_ = 0;
};

/// Puts one row into a column where it can be used; false: it sees nothing or is not finite.
bool setRow(KeySums& keySums, const PromptTensors& prompt, Index i, FitRows& rows, Index column) {
    const PromptTensors::Visible keys = prompt.visible(i);
    const double seen = keys.mask.sum();
    if (!(seen > 0.0)) return false;
    const VectorXd exact = prompt.exactRow(i, keys);
    const MatrixXd sums = keySums.of(i, keys) / seen;
    const VectorXd mass = sums.col(prompt.valueDim());
    const MatrixXd error = sums.leftCols(prompt.valueDim()) - mass * exact.transpose();
    if (!error.allFinite() || !(mass.squaredNorm() > 0.0)) return false;
    rows.mass.col(column) = mass;
    rows.setGram(column, error);
    return true;
}

/// J^T J with the plain sum of K / d^2, and what the residuals' own curvature adds.
void addMassTerms(const FitRows& rows, const MatrixXd& gramTimesC, const Eigen::ArrayXd& inverse,
                  const Eigen::ArrayXd& squared, FitRows::NormalEquations& sums) {
    const MatrixXd half = gramTimesC * inverse.cube().matrix().asDiagonal() * rows.mass.transpose();
    const MatrixXd cross = half + half.transpose();
    const MatrixXd outer = rows.mass * (squared * inverse.square()).matrix().asDiagonal() * rows.mass.transpose();
    sums.newton = sums.gaussNewton - 2.0 * cross + 3.0 * outer;
    sums.gaussNewton += outer - cross;
}

}  // namespace

FitRows::FitRows(Index moments, Index rows, Index valueDimension)
    : gram(moments * (moments + 1) / 2, rows), mass(moments, rows), valueDim(valueDimension) {}

void FitRows::setGram(Index row, const MatrixXd& error) {
    MatrixXd square = MatrixXd::Zero(error.rows(), error.rows());
    square.selfadjointView<Eigen::Upper>().rankUpdate(error);
    for (Index r = 0; r < error.rows(); ++r)
        Eigen::Map<VectorXd>(triangleRow(gram.col(row).data(), r), r + 1) = square.col(r).head(r + 1);
}

double FitRows::mse(const VectorXd& c) const {
    const VectorXd denominator = mass.transpose() * c;
    if (!(denominator.minCoeff() > 0.0)) return std::numeric_limits<double>::infinity();
    const double sum = (squares(*this, c).array() / denominator.array().square()).sum();
    return std::isfinite(sum) ? sum / static_cast<double>(count() * valueDim) : std::numeric_limits<double>::infinity();
}

VectorXd FitRows::gradient(const VectorXd& c) const {
    const Eigen::ArrayXd inverse = (mass.transpose() * c).array().inverse();
    MatrixXd gramTimesC(c.size(), count());
    for (Index n = 0; n < count(); ++n) multiply(gram.col(n).data(), c, gramTimesC.col(n).data());
    const VectorXd right = (gramTimesC.transpose() * c).array().max(0.0) * inverse.cube();
    return (2.0 / static_cast<double>(count() * valueDim)) * (gramTimesC * inverse.square().matrix() - mass * right);
}

FitRows::NormalEquations FitRows::normalEquations(const VectorXd& c) const {
    // Residual r = E^T c / d with d = c.a: J = (E^T - r a^T) / d, so J^T J = (K - u a^T - a u^T + |r|^2 a a^T) / d^2
    // and J^T r = (u - |r|^2 a) / d, with u = K c / d. The residuals' own curvature adds -(u a^T + a u^T - 2 |r|^2 a
    // a^T).
    const Index m = c.size();
    const Eigen::ArrayXd inverse = (mass.transpose() * c).array().inverse();
    const VectorXd weights = inverse.square();
    MatrixXd gramTimesC(m, count());
    VectorXd packed = VectorXd::Zero(gram.rows());
    for (Index first = 0; first < count(); first += kCachedRows) {
        const Index rows = std::min(kCachedRows, count() - first);
        for (Index n = first; n < first + rows; ++n) multiply(gram.col(n).data(), c, gramTimesC.col(n).data());
        packed.noalias() += gram.middleCols(first, rows) * weights.segment(first, rows);
    }
    const Eigen::ArrayXd squared = (gramTimesC.transpose() * c).array().max(0.0) * inverse.square();  // |r|^2
    NormalEquations sums;
    sums.gradient = gramTimesC * weights - mass * (squared * inverse).matrix();
    sums.gaussNewton.resize(m, m);
    for (Index r = 0; r < m; ++r)
        for (Index q = 0; q <= r; ++q)
            sums.gaussNewton(r, q) = sums.gaussNewton(q, r) = triangleRow(packed.data(), r)[q];
    addMassTerms(*this, gramTimesC, inverse, squared, sums);
    return sums;
}

FitRows fitRows(const LinearKernel& kernel, const PairFeatures& features, const PromptTensors& prompt,
                std::span<const Index> rows, const kernels::RunControl& control) {
    FitRows out(kernel.moments(), static_cast<Index>(rows.size()), prompt.valueDim());
    KeySums keySums(features, prompt, rows);
    Index used = 0;
    for (std::size_t n = 0; n < rows.size(); ++n) {
        control.throwIfCancelled();
        if (setRow(keySums, prompt, rows[n], out, used)) ++used;
        control.report(static_cast<float>(n + 1) / static_cast<float>(rows.size()));
    }
    out.gram.conservativeResize(Eigen::NoChange, used);
    out.mass.conservativeResize(Eigen::NoChange, used);
    return out;
}

FitRows joined(const std::vector<FitRows>& parts) {
    Index count = 0;
    for (const FitRows& part : parts) count += part.count();
    FitRows all(parts.front().mass.rows(), count, parts.front().valueDim);
    Index offset = 0;
    for (const FitRows& part : parts) {
        all.gram.middleCols(offset, part.count()) = part.gram;
        all.mass.middleCols(offset, part.count()) = part.mass;
        offset += part.count();
    }
    return all;
}

}  // namespace dimscope::analysis
