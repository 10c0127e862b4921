// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/exact_part.h"
#include "kernels/reference/pair_math.h"

// Kernels evaluated otherwise than as they are: sections 7, 13.6 and 13.9 of resources/docs/kernels.md.

namespace dimscope::kernels::reference {
namespace {

/// Only the dimensions that are kept; the others 0.
DoubleHead maskedTo(DoubleHead head, const std::vector<std::uint8_t>& kept) {
    for (Index i = 0; i < head.query.rows(); ++i)
        for (Index r = 0; r < head.query.cols(); ++r)
            if (kept[static_cast<std::size_t>(r)] == 0) head.query(i, r) = head.key(i, r) = 0.0;
    return head;
}

/// Section 7: the kernel on a subset of the dimensions times the exponential of the others.
class RestrictedPairs : public PositiveKernel {
public:
    RestrictedPairs(const KernelSpec& spec, const DoubleHead& head, std::vector<std::uint8_t> subset)
        : head_(head),
          subset_(std::move(subset)),
          masked_(maskedTo(head, subset_)),
          kernel_(makePairwise(spec, masked_)) {}
    double logKappa(Index i, Index j) const override {
        double complement = 0.0;
        for (Index r = 0; r < head_.query.cols(); ++r)
            if (subset_[static_cast<std::size_t>(r)] == 0) complement += head_.query(i, r) * head_.key(j, r);
        return kernel_->logKappa(i, j) + head_.scale * complement;
    }

private:
    const DoubleHead& head_;
    std::vector<std::uint8_t> subset_;  // (head_dim)
    DoubleHead masked_;
    std::unique_ptr<PairwiseKernel> kernel_;
};

/// Section 13.9.
void centre(DoubleHead& head, const std::vector<double>& mean) {
    for (Index j = 0; j < head.key.rows(); ++j)
        for (Index r = 0; r < head.key.cols(); ++r) head.key(j, r) -= mean[static_cast<std::size_t>(r)];
}

/// Exact attention over the exact keys, with the mass of every row.
RowsOutput exactRows(const HeadInputs& inputs, std::span<const Index> rows, bool wantWeights,
                     const RunControl& control) {
    const DoubleHead head(inputs);
    const auto kernel = makePairwise(Softmax{}, head);
    RowsOutput out = attendRows(*kernel, head, rows, wantWeights, control);
    for (const Index i : rows) {
        const std::vector<double> weights = weightRow(*kernel, head, i).weights;
        const double largest = *std::max_element(weights.begin(), weights.end());  // exp(0) / a; 0: no key
        out.exactMass.push_back(largest > 0.0 ? 1.0 / largest : 0.0);
    }
    return out;
}

}  // namespace

RowsOutput attendRows(const KernelSpec& spec, const Evaluation& how, const HeadInputs& inputs,
                      std::span<const Index> rows, bool wantWeights, const RunControl& control) {
    DoubleHead head(inputs);
    if (how.plain() || std::holds_alternative<Softmax>(spec))
        return attendRows(*makePairwise(spec, head), head, rows, wantWeights, control);
    if (how.keyMean) centre(head, *how.keyMean);
    const SplitMasks masks = splitMasks(inputs.mask, how.exact, inputs.rows());
    if (!how.exact.empty()) head.mask = masks.rest;
    const auto kernel =
        how.approximated ? std::make_unique<RestrictedPairs>(spec, head, *how.approximated) : makePairwise(spec, head);
    RowsOutput out = attendRows(*kernel, head, rows, wantWeights, control);
    if (how.exact.empty()) return out;
    return joinExactPart(std::move(out), exactRows(exactKeysOf(inputs, masks.exact), rows, wantWeights, control),
                         masks.rest, rows, inputs.rows(), gateOf(spec, how.exact));
}

}  // namespace dimscope::kernels::reference
