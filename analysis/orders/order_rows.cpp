// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/orders/order_rows.h"

#include <cmath>

#include "kernels/attention_math.h"

namespace dimscope::analysis {
namespace {

/// s_j = -scale u_j.ubar_j, ubar_j the mean of a zero and of u at the valid positions up to j; \p u: (rows, dim).
Eigen::VectorXd radialLogitsOf(const PromptTensors& tensors, const Eigen::Ref<const Eigen::MatrixXd>& u) {
    Eigen::VectorXd logits(u.rows());
    Eigen::RowVectorXd sum = Eigen::RowVectorXd::Zero(u.cols());
    double count = 1.0;
    for (Index j = 0; j < u.rows(); ++j) {
        if (tensors.valid.empty() || tensors.valid[static_cast<std::size_t>(j)] != 0) {
            sum += u.row(j);
            count += 1.0;
        }
        logits[j] = -tensors.scale * u.row(j).dot(sum) / count;
    }
    return logits;
}

double lengthOf(const Eigen::VectorXd& x) { return std::max(x.norm(), 1e-12); }

}  // namespace

OrderRows::OrderRows(const PromptTensors& tensors)
    : tensors_(tensors),
      radial_{radialLogitsOf(tensors, tensors.key), radialLogitsOf(tensors, tensors.query),
              radialLogitsOf(tensors, tensors.valueAndOne.leftCols(tensors.valueDim()))} {}

OrderRows::Seen OrderRows::seenBy(Index i) const {
    const PromptTensors::Visible keys = tensors_.visible(i);
    Seen seen;
    for (Index n = 0; n < keys.count; ++n)
        if (keys.mask[n] > 0.0) seen.positions.push_back(keys.first + n);
    const auto count = static_cast<Index>(seen.positions.size());
    seen.key.resize(count, tensors_.key.cols());
    seen.value.resize(count, tensors_.valueDim());
    for (Index n = 0; n < count; ++n) {
        const Index j = seen.positions[static_cast<std::size_t>(n)];
        seen.key.row(n) = tensors_.key.row(j);
        seen.value.row(n) = tensors_.valueAndOne.row(j).head(tensors_.valueDim());
    }
    return seen;
}

OrderRow OrderRows::parts(const Eigen::VectorXd& logits, const Eigen::MatrixXd& value) {
    OrderRow row;
    row.visible = static_cast<double>(logits.size());
    const double t = row.visible;
    row.first = (logits.array() - logits.mean()) / t;
    Eigen::VectorXd weights = (logits.array() - logits.maxCoeff()).exp();
    weights /= weights.sum();
    row.higher = weights.array() - 1.0 / t - row.first.array();
    row.y0 = value.colwise().mean();
    row.y1 = value.transpose() * row.first;
    row.yh = value.transpose() * row.higher;
    return row;
}

bool OrderRows::softmaxRow(Index i, OrderRow& row) const {
    const Seen seen = seenBy(i);
    if (seen.positions.empty()) return false;
    Eigen::VectorXd logits = tensors_.scale * (seen.key * tensors_.query.row(i).transpose());
    for (double& logit : logits) logit = kernels::softCapped(logit, tensors_.softcap);
    row = parts(logits, seen.value);
    return row.output().allFinite();
}

std::vector<OrderRow> OrderRows::linearRows(Index i, const std::vector<LinearForm>& forms) const {
    const Seen seen = seenBy(i);
    const Eigen::VectorXd query = tensors_.query.row(i).transpose() / lengthOf(tensors_.query.row(i));
    Eigen::MatrixXd turned = seen.value;  // every value times the cosine of its key and the query
    for (Index n = 0; n < seen.key.rows(); ++n) turned.row(n) *= seen.key.row(n).dot(query) / lengthOf(seen.key.row(n));
    std::vector<OrderRow> rows;
    for (const LinearForm& form : forms) {
        const Eigen::VectorXd& radial = radial_[static_cast<std::size_t>(form.radial)];
        Eigen::VectorXd logits(seen.key.rows());
        for (Index n = 0; n < logits.size(); ++n) logits[n] = radial[seen.positions[static_cast<std::size_t>(n)]];
        rows.push_back(parts(logits, form.angular ? turned : seen.value));
    }
    return rows;
}

}  // namespace dimscope::analysis
