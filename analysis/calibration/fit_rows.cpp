// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/calibration/fit_rows.h"

#include <cmath>
#include <limits>

namespace dimscope::analysis {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using kernels::Index;

/// K c, c^T K c and c.a of every row.
struct RowForms {
    MatrixXd gramTimesC;           // (moments, rows)
    VectorXd square, denominator;  // (rows)
};

RowForms formsOf(const FitRows& rows, const VectorXd& c) {
    const Index m = c.size(), count = rows.count();
    RowForms forms;
    forms.gramTimesC.resize(m, count);
    const Eigen::Map<const MatrixXd> wide(rows.gram.data(), m, m * count);  // K is symmetric
    Eigen::Map<VectorXd>(forms.gramTimesC.data(), m * count).noalias() = wide.transpose() * c;
    forms.square = (forms.gramTimesC.transpose() * c).cwiseMax(0.0);
    forms.denominator.noalias() = rows.mass.transpose() * c;
    return forms;
}

/// Appends one row where it can be used; false: it sees nothing or is not finite.
bool setRow(const PairFeatures& features, const PromptTensors& prompt, Index i, MatrixXd& phi, FitRows& rows,
            Index column) {
    const PromptTensors::Visible keys = prompt.visible(i);
    const double seen = keys.mask.sum();
    if (!(seen > 0.0)) return false;
    const VectorXd exact = prompt.exactRow(i, keys);
    features.fill(i, keys.first, keys.count, phi);
    if (seen < static_cast<double>(keys.count)) phi.array().colwise() *= keys.mask.array();
    const MatrixXd sums = phi.transpose() * prompt.valueAndOne.middleRows(keys.first, keys.count) / seen;
    const VectorXd mass = sums.col(prompt.valueDim());
    const MatrixXd error = sums.leftCols(prompt.valueDim()) - mass * exact.transpose();
    if (!error.allFinite() || !(mass.squaredNorm() > 0.0)) return false;
    rows.mass.col(column) = mass;
    Eigen::Map<MatrixXd>(rows.gram.col(column).data(), mass.size(), mass.size()).noalias() = error * error.transpose();
    return true;
}

}  // namespace

double FitRows::mse(const VectorXd& c) const {
    const RowForms forms = formsOf(*this, c);
    if (!(forms.denominator.minCoeff() > 0.0)) return std::numeric_limits<double>::infinity();
    const double sum = (forms.square.array() / forms.denominator.array().square()).sum();
    return std::isfinite(sum) ? sum / static_cast<double>(count() * valueDim) : std::numeric_limits<double>::infinity();
}

VectorXd FitRows::gradient(const VectorXd& c) const {
    const RowForms forms = formsOf(*this, c);
    const Eigen::ArrayXd inverse = forms.denominator.array().inverse();
    const VectorXd left = inverse.square();
    const VectorXd right = forms.square.array() * inverse.cube();
    return (2.0 / static_cast<double>(count() * valueDim)) * (forms.gramTimesC * left - mass * right);
}

FitRows::NormalEquations FitRows::normalEquations(const VectorXd& c) const {
    // Residual r = E^T c / d with d = c.a: J = (E^T - r a^T) / d, so J^T J = (K - u a^T - a u^T + |r|^2 a a^T) / d^2
    // and J^T r = (u - |r|^2 a) / d, with u = K c / d. The residuals' own curvature adds -(u a^T + a u^T - 2 |r|^2 a
    // a^T).
    const Index m = c.size();
    const RowForms forms = formsOf(*this, c);
    const Eigen::ArrayXd inverse = forms.denominator.array().inverse();
    const Eigen::ArrayXd squared = forms.square.array() * inverse.square();  // |r|^2
    NormalEquations sums;
    sums.gradient = forms.gramTimesC * inverse.square().matrix() - mass * (squared * inverse).matrix();
    MatrixXd plain(m, m);
    Eigen::Map<VectorXd>(plain.data(), m * m).noalias() = gram * inverse.square().matrix();
    const MatrixXd half = forms.gramTimesC * inverse.cube().matrix().asDiagonal() * mass.transpose();
    const MatrixXd cross = half + half.transpose();
    const MatrixXd outer = mass * (squared * inverse.square()).matrix().asDiagonal() * mass.transpose();
    sums.gaussNewton = plain - cross + outer;
    sums.newton = plain - 2.0 * cross + 3.0 * outer;
    return sums;
}

FitRows fitRows(const LinearKernel& kernel, const PairFeatures& features, const PromptTensors& prompt,
                std::span<const Index> rows, const kernels::RunControl& control) {
    const Index m = kernel.moments();
    FitRows out{MatrixXd(m * m, static_cast<Index>(rows.size())), MatrixXd(m, static_cast<Index>(rows.size())),
                prompt.valueDim()};
    MatrixXd phi;
    Index used = 0;
    for (std::size_t n = 0; n < rows.size(); ++n) {
        control.throwIfCancelled();
        if (setRow(features, prompt, rows[n], phi, out, used)) ++used;
        control.report(static_cast<float>(n + 1) / static_cast<float>(rows.size()));
    }
    out.gram.conservativeResize(Eigen::NoChange, used);
    out.mass.conservativeResize(Eigen::NoChange, used);
    return out;
}

FitRows joined(const std::vector<FitRows>& parts) {
    Index count = 0;
    for (const FitRows& part : parts) count += part.count();
    FitRows all{MatrixXd(parts.front().gram.rows(), count), MatrixXd(parts.front().mass.rows(), count),
                parts.front().valueDim};
    Index offset = 0;
    for (const FitRows& part : parts) {
        all.gram.middleCols(offset, part.count()) = part.gram;
        all.mass.middleCols(offset, part.count()) = part.mass;
        offset += part.count();
    }
    return all;
}

}  // namespace dimscope::analysis
