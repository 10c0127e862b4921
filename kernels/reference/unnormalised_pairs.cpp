// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/reference/pair_families.h"
#include "kernels/reference/pair_math.h"

// Kernels whose weights are not divided by a sum. Section numbers: resources/docs/kernels.md.

namespace dimscope::kernels::reference {
namespace {

/// Zero-sum weights of one row from its logits: sigma1 delta / t + sigmah (softmax - 1/t - delta / t) + sigma0 / t,
/// with delta the logits less their mean.
template <class Gates>
std::vector<double> zeroSumWeights(const Gates& gates, const std::vector<double>& logits) {
    const auto t = static_cast<double>(logits.size());
    const double mean = std::accumulate(logits.begin(), logits.end(), 0.0) / t;
    std::vector<double> weights = softmax(logits);
    for (std::size_t n = 0; n < logits.size(); ++n) {
        const double first = (logits[n] - mean) / t;
        const double higher = weights[n] - 1.0 / t - first;
        weights[n] = gates.sigma1 * first + gates.sigmah * higher + gates.sigma0 / t;
    }
    return weights;
}

/// Section 8.
class ZerosSmPairs : public PairwiseKernel {
public:
    ZerosSmPairs(const ZerosSm& spec, const DoubleHead& head) : spec_(spec), head_(head) {}
    KeyWeights weigh(Index i, std::span<const Index> keys) const override {
        std::vector<double> logits;
        for (const Index j : keys) logits.push_back(logit(head_, i, j));
        return {zeroSumWeights(spec_, logits)};
    }

private:
    ZerosSm spec_;
    const DoubleHead& head_;
};

/// Section 8: radial zero-sum weights of s_j = -scale u_j.ubar_j times the cosine of q and k, u = k.
class LinearZerosPairs : public PairwiseKernel {
public:
    LinearZerosPairs(const LinearZeros& spec, const DoubleHead& head) : spec_(spec), head_(head), radial_(radial()) {}
    KeyWeights weigh(Index i, std::span<const Index> keys) const override {
        std::vector<double> logits;
        for (const Index j : keys) logits.push_back(radial_[static_cast<std::size_t>(j)]);
        KeyWeights row{zeroSumWeights(spec_, logits)};
        for (std::size_t n = 0; n < keys.size(); ++n) row.weights[n] *= cosine(i, keys[n]);
        return row;
    }

private:
    double cosine(Index i, Index j) const {
        const Index d = head_.query.cols();
        const double norms = std::max(norm(head_.query.row(i), d), 1e-12) * std::max(norm(head_.key.row(j), d), 1e-12);
        return rowDot(head_.query, i, head_.key, j) / norms;
    }
    /// ubar_j: mean of mu, weighing e^tau, and of the valid keys up to j.
    std::vector<double> radial() const {
        const auto d = static_cast<std::size_t>(head_.key.cols());
        double count = std::exp(std::clamp(spec_.tau, -50.0, 30.0));
        std::vector<double> sum(d, 0.0), out;
        if (spec_.mu)
            for (std::size_t r = 0; r < d; ++r) sum[r] = count * (*spec_.mu)[r];
        for (Index j = 0; j < head_.key.rows(); ++j) {
            const double* key = head_.key.row(j);
            if (head_.mask.isValid(j)) {
                for (std::size_t r = 0; r < d; ++r) sum[r] += key[r];
                count += 1.0;
            }
            out.push_back(-head_.scale * dot(key, sum.data(), head_.key.cols()) / count);
        }
        return out;
    }

    LinearZeros spec_;
    const DoubleHead& head_;
    std::vector<double> radial_;  // (rows)
};

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

PairsPointer makePairs(const ZerosSm& spec, const DoubleHead& head) {
    return std::make_unique<ZerosSmPairs>(spec, head);
}

PairsPointer makePairs(const LinearZeros& spec, const DoubleHead& head) {
    return std::make_unique<LinearZerosPairs>(spec, head);
}

PairsPointer makePairs(const RetNet& spec, const DoubleHead& head) { return std::make_unique<RetNetPairs>(spec, head); }

}  // namespace dimscope::kernels::reference
