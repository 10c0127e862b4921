// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/reference/pair_families.h"
#include "kernels/reference/pair_math.h"

// Kernels whose weights are not divided by a sum. Section numbers: resources/docs/kernels.md.

namespace dimscope::kernels::reference {
namespace {

/// Section 9: scale decay^(i - j) times the logit.
class RetNetPairs : public PairwiseKernel {
public:
    RetNetPairs(const RetNet& spec, const DoubleHead& head) : spec_(spec), head_(head) {}
    KeyWeights weigh(Index i, std::span<const Index> keys) const override {
        KeyWeights row;
        for (const Index j : keys)
            row.weights.push_back(spec_.scale * std::pow(spec_.decay, static_cast<double>(i - j)) * logit(head_, i, j));
        return row;
    }

private:
    RetNet spec_;
    const DoubleHead& head_;
};

}  // namespace

PairsPointer makePairs(const RetNet& spec, const DoubleHead& head) { return std::make_unique<RetNetPairs>(spec, head); }

}  // namespace dimscope::kernels::reference
