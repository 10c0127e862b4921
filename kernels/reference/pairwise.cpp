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

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

bool isZeroOutput(const KernelSpec& spec) { return std::holds_alternative<Zero>(spec); }

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

WeightRow weightRow(const KernelSpec& spec, const PairwiseKernel& kernel, const DoubleHead& head, Index i) {
    WeightRow row{std::vector<double>(static_cast<std::size_t>(head.key.rows()), 0.0), false};
    std::vector<Index> keys = visibleKeys(head, i);
    if (isZeroOutput(spec)) return row;
    if (std::holds_alternative<FirstValue>(spec) && !keys.empty()) keys.erase(keys.begin() + 1, keys.end());

    const bool exact = std::holds_alternative<Softmax>(spec);
    double largest = exact && head.sink ? *head.sink : kMinusInfinity;
    std::vector<double> logs;
    for (const Index j : keys) {
        logs.push_back(kernel.logKappa(i, j));
        largest = std::max(largest, logs.back());
    }
    double sum = exact && head.sink ? std::exp(*head.sink - largest) : 0.0;
    for (std::size_t n = 0; n < keys.size(); ++n) {
        const double weight = std::exp(logs[n] - largest);
        row.weights[static_cast<std::size_t>(keys[n])] = weight;
        sum += weight;
    }
    row.bad = !(sum > 0.0) || !std::isfinite(sum);
    for (double& weight : row.weights) weight /= sum;
    return row;
}

RowsOutput attendRows(const KernelSpec& spec, const DoubleHead& head, std::span<const Index> rows, bool wantWeights,
                      const RunControl& control) {
    const auto kernel = makePairwise(spec, head);
    const auto count = static_cast<Index>(rows.size());
    RowsOutput out{Matrix<double>(count, head.value.cols()), std::vector<std::uint8_t>(rows.size(), 0), {}};
    if (wantWeights) out.weights = Matrix<float>(count, head.key.rows());
    for (Index r = 0; r < count; ++r) {
        control.throwIfCancelled();
        const WeightRow row = weightRow(spec, *kernel, head, rows[static_cast<std::size_t>(r)]);
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
        if (wantWeights)
            std::transform(row.weights.begin(), row.weights.end(), out.weights.row(r),
                           [](double w) { return static_cast<float>(w); });
    }
    return out;
}

}  // namespace dimscope::kernels::reference
