// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include "kernels/cpu/row_kernel.h"

// Kernels whose weights are not divided by a sum. Section numbers: resources/docs/kernels.md.

namespace dimscope::kernels::cpu {
namespace {

/// The visible logits of row i to sigma1 delta / t + sigmah (softmax - 1/t - delta / t) + sigma0 / t, delta the logits
/// less their mean. In double: where logits are small the higher part is what is left of nearly equal numbers.
template <class Gates>
void zeroSumRow(const Gates& gates, const FloatHead& head, Index i, double* row, Index keys) {
    const KeyRange range = candidateKeys(head.mask, i, keys);
    std::vector<double> logits(row + range.begin, row + range.end);
    if (!head.mask.picksAll()) {
        logits.clear();
        for (Index j = range.begin; j < range.end; ++j)
            if (head.mask.picks(i, j)) logits.push_back(row[j]);
    }
    if (logits.empty()) return;
    const RowLanes& lanes = head.lanes.rows;
    const auto visible = static_cast<Index>(logits.size());
    const auto count = static_cast<double>(visible);
    const double mean = lanes.sum(logits.data(), visible) / count;
    std::vector<double> exponentials = logits;
    const double sum = lanes.shiftedExp(exponentials.data(), visible, lanes.largest(logits.data(), visible));
    std::size_t n = 0;
    for (Index j = range.begin; j < range.end; ++j) {
        if (!head.mask.picks(i, j)) continue;
        const double first = (logits[n] - mean) / count;
        const double higher = exponentials[n] / sum - 1.0 / count - first;
        row[j] = gates.sigma1 * first + gates.sigmah * higher + gates.sigma0 / count;
        ++n;
    }
}

/// Section 8.
class ZerosSmRows : public RowKernel {
public:
    ZerosSmRows(const ZerosSm& spec, const FloatHead& head) : spec_(spec), head_(head) {}
    RowForm fill(std::span<const Index> rows, Index keys, MatrixSpan<double> out) const override {
        fillLogits(head_, rows, keys, out);
        for (std::size_t n = 0; n < rows.size(); ++n)
            zeroSumRow(spec_, head_, rows[n], out.row(static_cast<Index>(n)), keys);
        return RowForm::Weights;
    }

private:
    ZerosSm spec_;
    const FloatHead& head_;
};

/// Section 8: radial zero-sum weights of s_j = -scale u_j.ubar_j times the cosine of q and k, u = k.
class LinearZerosRows : public RowKernel {
public:
    LinearZerosRows(const LinearZeros& spec, const FloatHead& head)
        : spec_(spec), head_(head), radial_(radial(spec, head)), inverseNorms_(inverseKeyNorms(head)) {}
    RowForm fill(std::span<const Index> rows, Index keys, MatrixSpan<double> out) const override {
        fillCosines(head_, inverseNorms_, rows, keys, out);
        std::vector<double> weights(static_cast<std::size_t>(keys));
        for (std::size_t n = 0; n < rows.size(); ++n) {
            std::copy_n(radial_.begin(), keys, weights.begin());
            zeroSumRow(spec_, head_, rows[n], weights.data(), keys);
            double* row = out.row(static_cast<Index>(n));
            for (Index j = 0; j < keys; ++j) row[j] *= weights[static_cast<std::size_t>(j)];
        }
        return RowForm::Weights;
    }

private:
    /// ubar_j: mean of mu, weighing e^tau, and of the valid keys up to j.
    static std::vector<double> radial(const LinearZeros& spec, const FloatHead& head) {
        const auto key = eigen(head.key.view());
        double count = std::exp(std::clamp(spec.tau, -50.0, 30.0));
        Eigen::RowVectorXd sum = Eigen::RowVectorXd::Zero(key.cols());
        if (spec.mu) sum = count * Eigen::Map<const Eigen::RowVectorXd>(spec.mu->data(), key.cols());
        std::vector<double> out;
        Eigen::RowVectorXd current;
        for (Eigen::Index j = 0; j < key.rows(); ++j) {
            current = key.row(j).cast<double>();
            if (head.mask.isValid(j)) {
                sum += current;
                count += 1.0;
            }
            out.push_back(-head.scale * current.dot(sum) / count);
        }
        return out;
    }

    LinearZeros spec_;
    const FloatHead& head_;
    std::vector<double> radial_, inverseNorms_;  // (rows)
};

/// Section 9: scale decay^(i - j) times the logit.
class RetNetRows : public RowKernel {
public:
    RetNetRows(const RetNet& spec, const FloatHead& head) : head_(head) {
        double decay = 1.0;
        for (Index distance = 0; distance < head.key.view().rows(); ++distance, decay *= spec.decay)
            decays_.push_back(decay);
        scale_ = spec.scale;
    }
    RowForm fill(std::span<const Index> rows, Index keys, MatrixSpan<double> out) const override {
        fillLogits(head_, rows, keys, out);
        for (std::size_t n = 0; n < rows.size(); ++n) {
            double* row = out.row(static_cast<Index>(n));
            for (Index j = 0; j < keys; ++j) {
                const double decay = decays_[static_cast<std::size_t>(std::abs(rows[n] - j))];
                row[j] *= scale_ * (j <= rows[n] ? decay : 1.0 / decay);
            }
        }
        return RowForm::Weights;
    }

private:
    const FloatHead& head_;
    std::vector<double> decays_;  // by distance
    double scale_;
};

}  // namespace

std::unique_ptr<RowKernel> makeZerosSm(const ZerosSm& spec, const FloatHead& head) {
    return std::make_unique<ZerosSmRows>(spec, head);
}

std::unique_ptr<RowKernel> makeLinearZeros(const LinearZeros& spec, const FloatHead& head) {
    return std::make_unique<LinearZerosRows>(spec, head);
}

std::unique_ptr<RowKernel> makeRetNet(const RetNet& spec, const FloatHead& head) {
    return std::make_unique<RetNetRows>(spec, head);
}

}  // namespace dimscope::kernels::cpu
