// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/reference/pairwise.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/attention_math.h"

namespace dimscope::kernels::reference {
namespace {

Matrix<double> widened(const TensorView& view) {
    return std::visit(
        [](const auto& v) {
            Matrix<double> out(v.rows(), v.cols());
            for (Index r = 0; r < v.rows(); ++r) std::copy(v.row(r), v.row(r) + v.cols(), out.row(r));
            return out;
        },
        view);
}

std::vector<Index> visibleKeys(const DoubleHead& head, Index i) {
    std::vector<Index> keys;
    for (Index j = 0; j < head.key.rows(); ++j)
        if (head.mask.visible(i, j)) keys.push_back(j);
    return keys;
}

}  // namespace

DoubleHead::DoubleHead(const HeadInputs& inputs)
    : query(widened(inputs.query)),
      key(widened(inputs.key)),
      value(widened(inputs.value)),
      mask(inputs.mask),
      scale(inputs.scale),
      softcap(inputs.softcap),
      sink(inputs.sink) {}

KeyWeights PositiveKernel::weigh(Index i, std::span<const Index> keys) const {
    KeyWeights row;
    for (const Index j : keys) row.weights.push_back(logKappa(i, j));
    const double largest = *std::max_element(row.weights.begin(), row.weights.end());
    double sum = 0.0;
    for (double& weight : row.weights) {
        weight = std::exp(weight - largest);
        sum += weight;
    }
    row.bad = !(sum > 0.0) || !std::isfinite(sum);
    for (double& weight : row.weights) weight /= sum;
    return row;
}

KeyWeights SignedKernel::weigh(Index i, std::span<const Index> keys) const {
    KeyWeights row;
    double sum = 0.0;
    for (const Index j : keys) {
        row.weights.push_back(kappa(i, j));
        sum += row.weights.back();
    }
    const double total = denominator(sum);
    row.bad = total == 0.0 || !std::isfinite(total);
    row.negative = total < 0.0;
    for (double& weight : row.weights) weight /= total;
    return row;
}

KeyWeights weightRow(const PairwiseKernel& kernel, const DoubleHead& head, Index i) {
    KeyWeights row{std::vector<double>(static_cast<std::size_t>(head.key.rows()), 0.0), true, false};
    const std::vector<Index> keys = visibleKeys(head, i);
    if (keys.empty()) return row;
    const KeyWeights weighed = kernel.weigh(i, keys);
    for (std::size_t n = 0; n < keys.size(); ++n) row.weights[static_cast<std::size_t>(keys[n])] = weighed.weights[n];
    row.bad = weighed.bad;
    row.negative = weighed.negative;
    return row;
}

RowsOutput attendRows(const PairwiseKernel& kernel, const DoubleHead& head, std::span<const Index> rows,
                      bool wantWeights, const RunControl& control) {
    const auto count = static_cast<Index>(rows.size());
    RowsOutput out{Matrix<double>(count, head.value.cols()), std::vector<std::uint8_t>(rows.size(), 0), {}, 0};
    if (wantWeights) out.weights = Matrix<float>(count, head.key.rows());
    for (Index r = 0; r < count; ++r) {
        control.throwIfCancelled();
        const KeyWeights row = weightRow(kernel, head, rows[static_cast<std::size_t>(r)]);
        bool bad = row.bad;
        for (Index c = 0; c < head.value.cols(); ++c) {
            double sum = 0.0;
            for (Index j = 0; j < head.key.rows(); ++j) {
                const double weight = row.weights[static_cast<std::size_t>(j)];
                if (weight != 0.0) sum += weight * head.value(j, c);  // a NaN in a masked value stays out
            }
            out.values(r, c) = sum;
            bad = bad || !std::isfinite(sum);
        }
        if (bad) std::fill_n(out.values.row(r), head.value.cols(), std::numeric_limits<double>::quiet_NaN());
        out.bad[static_cast<std::size_t>(r)] = bad ? 1 : 0;
        if (row.negative && !bad) ++out.negativeDenominators;
        if (wantWeights)
            std::transform(row.weights.begin(), row.weights.end(), out.weights.row(r),
                           [](double w) { return static_cast<float>(w); });
    }
    return out;
}

}  // namespace dimscope::kernels::reference
