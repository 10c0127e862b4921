// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cpu/log_feature_rows.h"

#include <algorithm>
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

// Offsets of keys within this of the first key's: e^-600 times the least trusted product is 1e-272, a double.
constexpr double kRange = 300.0;

/// ln sum 2^term.
double logSum(const Eigen::RowVectorXd& powers) {
    const Eigen::RowVectorXd terms = std::numbers::ln2 * powers;
    const double largest = terms.maxCoeff();
    return largest + std::log((terms.array() - largest).exp().sum());
}

}  // namespace

LogFeatureRows::LogFeatureRows(const FloatHead& head, const RowMajor<double>& weights,
                               const Eigen::RowVectorXd& queryBias)
    : head_(head), queryWeights_(weights.rows(), weights.cols() + 1), keyColumns_(fewColumns(head.key.view())) {
    queryWeights_ << (std::numbers::log2e * weights).cast<float>(),
        (std::numbers::log2e * queryBias.transpose()).cast<float>();
    if (keyColumns_)
        keyWeights_ = queryWeights_(Eigen::all, *keyColumns_);
    else
        keyWeights_ = queryWeights_.leftCols(weights.cols());
}

double LogFeatureRows::Features::naturalShift(Index token) const {
    return std::numbers::ln2 * static_cast<double>(shift[static_cast<std::size_t>(token)]);
}

PackedRows LogFeatureRows::packedQueries(std::span<const Index> rows) const {
    RowMajor<float> query(static_cast<Eigen::Index>(rows.size()), queryWeights_.cols());
    query << gatherRows(head_.query.view(), rows), Eigen::VectorXf::Ones(query.rows());
    return {head_.lanes, view(query)};
}

void LogFeatureRows::packKeys(Index first, Index count, PackedRows& keys) const {
    const MatrixView<float> block = middleRows(head_.key.view(), first, count);
    if (keyColumns_)
        keys.assign(view(RowMajor<float>(eigen(block)(Eigen::all, *keyColumns_))));
    else
        keys.assign(block);
}

void LogFeatureRows::project(const PackedRows& tokens, const RowMajor<float>& weights, Features& out, As what) const {
    const Index width = padded(head_.lanes, tokens.rows()), lanes = head_.lanes.lanes;
    out.panels.resize(static_cast<std::size_t>(width * features()));
    out.shift.resize(static_cast<std::size_t>(width));
    out.sums.resize(static_cast<std::size_t>(width));
    for (Index first = 0; first < width; first += lanes) {
        float* panel = out.panels.data() + first * features();
        head_.lanes.rows.project(
            {weights.data(), weights.cols(), features(), weights.cols(), tokens.panel(first), lanes, panel, lanes});
        if (what == As::Powers)
            head_.lanes.rows.powers({panel, features(), kFloor, out.shift.data() + first, out.sums.data() + first});
    }
}

RowMajor<float> LogFeatureRows::byToken(const Features& tokens, Index count) const {
    RowMajor<float> out(count, features());
    const Index lanes = head_.lanes.lanes;
    for (Index n = 0; n < count; ++n) {
        const float* panel = tokens.panels.data() + n / lanes * lanes * features() + n % lanes;
        for (Index f = 0; f < features(); ++f) out(n, f) = panel[f * lanes];
    }
    return out;
}

void LogFeatureRows::products(const RowMajor<float>& query, Index firstRow, const Features& keys,
                              MatrixSpan<double> out) const {
    if (firstRow == query.rows()) return;
    head_.lanes.rows.panelProducts({query.row(firstRow).data(), query.cols(), query.rows() - firstRow, query.cols(),
                                    keys.panels.data(), features() * head_.lanes.lanes, out.cols(), out.row(firstRow),
                                    out.stride()});
}

std::vector<double> LogFeatureRows::offsets(const Features& keys, Index first, Index count, double reference) const {
    std::vector<double> out;
    for (Index j = 0; j < count; ++j) {
        const double shift = keys.naturalShift(j);
        out.push_back(keyOffset(first + j, shift, static_cast<double>(keys.sums[static_cast<std::size_t>(j)])) + shift -
                      reference);
    }
    return out;
}

RowForm LogFeatureRows::fill(std::span<const Index> rows, Index keys, MatrixSpan<double> out) const {
    Features query, block;
    project(packedQueries(rows), queryWeights_, query, As::Powers);
    const RowMajor<float> queryFeatures = byToken(query, static_cast<Index>(rows.size()));
    PackedRows packed(head_.lanes);
    RowForm form = RowForm::Kernel;
    double reference = 0.0;
    forKeyBlocks(keys, [&](Index first, Index count) {
        packKeys(first, count, packed);
        project(packed, keyWeights_, block, As::Powers);
        const MatrixSpan<double> part = middleColumns(out, first, count);
        const Index hidden = rowsBefore(head_.mask, rows, first);
        if (first == 0) reference = offsets(block, 0, 1, 0.0).front();
        const std::vector<double> offset = offsets(block, first, count, reference);
        products(queryFeatures, hidden, block, part);
        if (form == RowForm::Kernel) {
            if (scale(offset, hidden, part)) return;
            form = RowForm::LogKernel;
            toLogarithms(middleColumns(out, 0, first));
            products(queryFeatures, hidden, block, part);
        }
        Index lost = 0;
        for (Index i = hidden; i < part.rows(); ++i)
            lost += head_.lanes.rows.logarithms(part.row(i), offset.data(), count, kTrusted);
        if (lost > 0) redo(rows, first, block, query, offset, part);
    });
    return form;
}

/// Products become kappa e^-kRange. False: one of them, or of the offsets, is not in the range of that.
bool LogFeatureRows::scale(const std::vector<double>& offset, Index firstRow, MatrixSpan<double> products) const {
    const auto inRange = [](double x) { return std::abs(x) <= kRange; };
    if (!std::all_of(offset.begin(), offset.end(), inRange)) return false;
    std::vector<double> factor = offset;
    head_.lanes.rows.shiftedExp(factor.data(), products.cols(), kRange);
    Index lost = 0;
    for (Index i = firstRow; i < products.rows(); ++i)
        lost += head_.lanes.rows.scaled(products.row(i), factor.data(), products.cols(), kTrusted);
    return lost == 0;
}

/// What `scale` made becomes what `fill` makes of the blocks behind it.
void LogFeatureRows::toLogarithms(MatrixSpan<double> kappa) const {
    const std::vector<double> range(static_cast<std::size_t>(kappa.cols()), kRange);
    for (Index i = 0; i < kappa.rows(); ++i)
        head_.lanes.rows.logarithms(kappa.row(i), range.data(), kappa.cols(), std::numeric_limits<double>::min());
}

/// The pairs that are not a number, from the logarithms themselves.
void LogFeatureRows::redo(std::span<const Index> rows, Index first, const Features& keys, const Features& query,
                          const std::vector<double>& offset, MatrixSpan<double> out) const {
    Features logs;
    project(packedQueries(rows), queryWeights_, logs, As::Logarithms);
    const RowMajor<float> ofQuery = byToken(logs, out.rows());
    PackedRows packed(head_.lanes);
    packKeys(first, out.cols(), packed);
    project(packed, keyWeights_, logs, As::Logarithms);
    const RowMajor<float> ofKeys = byToken(logs, out.cols());
    for (Index i = 0; i < out.rows(); ++i)
        for (Index j = 0; j < out.cols(); ++j) {
            if (!std::isnan(out(i, j)) || !head_.mask.visible(rows[static_cast<std::size_t>(i)], first + j)) continue;
            out(i, j) = offset[static_cast<std::size_t>(j)] - keys.naturalShift(j) - query.naturalShift(i) +
                        logSum((ofQuery.row(i) + ofKeys.row(j)).cast<double>());
        }
}

}  // namespace dimscope::kernels::cpu
