// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cpu/row_attention.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dimscope::kernels::cpu {
namespace {

constexpr Index kBlockRows = 64;

enum class RowState { Good, NegativeDenominator, Bad };

/// Turns one filled row into weights, 0 where a key is not visible.
class RowNormaliser {
public:
    RowNormaliser(const KernelSpec& spec, const FloatHead& head, const RowKernel& kernel)
        : mask_(head.mask),
          kernel_(kernel),
          zero_(std::holds_alternative<Zero>(spec)),
          firstOnly_(std::holds_alternative<FirstValue>(spec)) {
        if (std::holds_alternative<Softmax>(spec)) sink_ = head.sink;
    }

    RowState normalise(Index i, double* row, Index keys) const {
        if (!hide(i, row, keys)) return RowState::Bad;
        if (zero_) std::fill_n(row, keys, 0.0);
        if (zero_ || kernel_.form() == RowForm::Weights) return RowState::Good;
        const double sum =
            kernel_.form() == RowForm::LogKernel ? exponentiate(row, keys) : kernel_.denominator(total(row, keys));
        if (sum == 0.0 || !std::isfinite(sum)) return RowState::Bad;
        for (Index j = 0; j < keys; ++j) row[j] /= sum;
        return sum > 0.0 ? RowState::Good : RowState::NegativeDenominator;
    }

private:
    static constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

    /// False: no key is visible.
    bool hide(Index i, double* row, Index keys) const {
        const double hidden = kernel_.form() == RowForm::LogKernel ? kMinusInfinity : 0.0;
        bool seen = false;
        for (Index j = 0; j < keys; ++j) {
            if (!mask_.visible(i, j) || (firstOnly_ && seen))
                row[j] = hidden;
            else
                seen = true;
        }
        return seen;
    }
    static double total(const double* row, Index keys) {
        double sum = 0.0;
        for (Index j = 0; j < keys; ++j) sum += row[j];
        return sum;
    }
    double exponentiate(double* row, Index keys) const {
        double largest = sink_ ? *sink_ : kMinusInfinity;
        for (Index j = 0; j < keys; ++j) largest = std::max(largest, row[j]);
        if (largest == kMinusInfinity) return 0.0;
        double sum = sink_ ? std::exp(*sink_ - largest) : 0.0;
        for (Index j = 0; j < keys; ++j) {
            row[j] = std::exp(row[j] - largest);
            sum += row[j];
        }
        return sum;
    }

    AttentionMask mask_;
    const RowKernel& kernel_;
    bool zero_, firstOnly_;
    std::optional<double> sink_;
};

/// weights (block, keys) times value, skipping keys nobody sees: a NaN in padding must not leak.
RowMajor<double> weightedValues(const RowMajor<double>& weights, const FloatHead& head) {
    const Index keys = weights.cols();
    const auto value = eigen(head.value.view().top(keys));
    if (head.mask.valid.empty()) return (weights.cast<float>() * value).cast<double>();
    RowMajor<float> seen = value;
    for (Index j = 0; j < keys; ++j)
        if (!head.mask.isValid(j)) seen.row(j).setZero();
    return (weights.cast<float>() * seen).cast<double>();
}

}  // namespace

RowsOutput attendRows(const KernelSpec& spec, const RowKernel& kernel, const FloatHead& head,
                      std::span<const Index> rows, bool wantWeights, const RunControl& control) {
    const auto count = static_cast<Index>(rows.size());
    const Index positions = head.key.view().rows();
    RowsOutput out{Matrix<double>(count, head.value.view().cols()), std::vector<std::uint8_t>(rows.size(), 0), {}, 0};
    if (wantWeights) out.weights = Matrix<float>(count, positions);
    if (count == 0) return out;
    const RowNormaliser normaliser(spec, head, kernel);
    std::vector<RowState> states;
    for (Index start = 0; start < count; start += kBlockRows) {
        control.throwIfCancelled();
        const auto block = rows.subspan(static_cast<std::size_t>(start),
                                        static_cast<std::size_t>(std::min(kBlockRows, count - start)));
        const Index keys = head.mask.causal ? *std::max_element(block.begin(), block.end()) + 1 : positions;
        RowMajor<double> weights(static_cast<Index>(block.size()), keys);
        kernel.fill(block, keys, {weights.data(), weights.rows(), keys});
        for (Index r = 0; r < weights.rows(); ++r) {
            states.push_back(normaliser.normalise(block[static_cast<std::size_t>(r)], weights.row(r).data(), keys));
            if (states.back() == RowState::Bad) weights.row(r).setConstant(std::numeric_limits<double>::quiet_NaN());
        }
        eigen(out.values).middleRows(start, weights.rows()) = weightedValues(weights, head);
        if (wantWeights) eigen(out.weights).block(start, 0, weights.rows(), keys) = weights.cast<float>();
    }
    for (Index r = 0; r < count; ++r)
        if (!eigen(out.values).row(r).allFinite()) {
            out.bad[static_cast<std::size_t>(r)] = 1;
            eigen(out.values).row(r).setConstant(std::numeric_limits<double>::quiet_NaN());
        } else if (states[static_cast<std::size_t>(r)] == RowState::NegativeDenominator) {
            ++out.negativeDenominators;
        }
    return out;
}

}  // namespace dimscope::kernels::cpu
