// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cpu/log_feature_rows.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace dimscope::kernels::cpu {
namespace {

// Features are kept above 2^kFloor, so that no product of two of them underflows (slow, and lost); a sum below
// kTrusted may consist of floored terms and is redone in the log domain. 250 floored terms add at most 250 * 2^-62 =
// 5e-17, which is 5e-6 of kTrusted.
constexpr float kFloor = -62.0F;
constexpr double kTrusted = 1e-11;

/// ln sum 2^term.
double logSum(const Eigen::RowVectorXd& powers) {
    const Eigen::RowVectorXd terms = std::numbers::ln2 * powers;
    const double largest = terms.maxCoeff();
    return largest + std::log((terms.array() - largest).exp().sum());
}

}  // namespace

LogFeatureRows::LogFeatureRows(const FloatHead& head, const RowMajor<double>& weights,
                               const Eigen::RowVectorXd& queryBias)
    : head_(head),
      weights_(head.lanes, view(RowMajor<float>((std::numbers::log2e * weights).cast<float>()))),
      queryBias_(
          Eigen::RowVectorXf::Constant(padded(head.lanes, weights_.rows()), -std::numeric_limits<float>::infinity())),
      keyBias_(queryBias_) {
    queryBias_.head(weights_.rows()) = (std::numbers::log2e * queryBias).cast<float>();
    keyBias_.head(weights_.rows()).setZero();
}

double LogFeatureRows::Features::naturalShift(Index token) const {
    return std::numbers::ln2 * static_cast<double>(shift(token));
}

void LogFeatureRows::project(const MatrixView<float>& x, const Eigen::RowVectorXf& bias, RowMajor<float>& logs) const {
    logs.resize(x.rows(), bias.cols());
    weights_.project(x, bias.data(), span(logs));
}

RowMajor<float> LogFeatureRows::queryLogs(std::span<const Index> rows) const {
    RowMajor<float> logs;
    project(view(gatherRows(head_.query.view(), rows)), queryBias_, logs);
    return logs;
}

void LogFeatureRows::exponentiate(Features& tokens) const {
    const Index count = tokens.values.rows(), stride = tokens.values.cols();
    tokens.shift.resize(count);
    tokens.sums.resize(count);
    head_.lanes.rows.powers(
        {tokens.values.data(), stride, count, weights_.rows(), kFloor, tokens.shift.data(), tokens.sums.data()});
}

void LogFeatureRows::fill(std::span<const Index> rows, Index keys, MatrixSpan<double> out) const {
    Features query{queryLogs(rows), {}, {}}, block;
    exponentiate(query);
    const PackedRows packed(head_.lanes, unpadded(query.values));
    std::vector<double> offset(static_cast<std::size_t>(kKeyBlock));
    forKeyBlocks(keys, [&](Index first, Index count) {
        project(middleRows(head_.key.view(), first, count), keyBias_, block.values);
        exponentiate(block);
        const MatrixSpan<double> part = middleColumns(out, first, count);
        const Index hidden = rowsBefore(head_.mask, rows, first);
        packed.products(unpadded(block.values), part, hidden);
        for (Index j = 0; j < count; ++j) {
            const double shift = block.naturalShift(j);
            offset[static_cast<std::size_t>(j)] =
                keyOffset(first + j, shift, static_cast<double>(block.sums(j))) + shift;
        }
        Index lost = 0;
        for (Index i = hidden; i < part.rows(); ++i)
            lost += head_.lanes.rows.logarithms(part.row(i), offset.data(), count, kTrusted);
        if (lost > 0) redo(rows, first, block, query, part);
    });
}

/// The pairs that are not a number, from the logarithms themselves.
void LogFeatureRows::redo(std::span<const Index> rows, Index first, const Features& keys, const Features& query,
                          MatrixSpan<double> out) const {
    const RowMajor<float> ofQuery = queryLogs(rows);
    RowMajor<float> ofKeys;
    project(middleRows(head_.key.view(), first, out.cols()), keyBias_, ofKeys);
    for (Index i = 0; i < out.rows(); ++i)
        for (Index j = 0; j < out.cols(); ++j) {
            if (!std::isnan(out(i, j)) || !head_.mask.visible(rows[static_cast<std::size_t>(i)], first + j)) continue;
            const double offset = keyOffset(first + j, keys.naturalShift(j), static_cast<double>(keys.sums(j)));
            out(i, j) = offset - query.naturalShift(i) +
                        logSum((ofQuery.row(i) + ofKeys.row(j)).head(weights_.rows()).cast<double>());
        }
}

}  // namespace dimscope::kernels::cpu
