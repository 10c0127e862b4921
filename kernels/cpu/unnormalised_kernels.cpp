// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include "kernels/cpu/row_kernel.h"

// Kernels whose weights are not divided by a sum. Section numbers: resources/docs/kernels.md.

namespace dimscope::kernels::cpu {
namespace {

/// The visible logits of row i to sigma1 delta / t + sigmah (softmax - 1/t - delta / t) + sigma0 / t, delta the logits
/// less their mean.
template <class Gates>
void zeroSumRow(const Gates& gates, const AttentionMask& mask, Index i, double* row, Index keys) {
    double count = 0.0, sum = 0.0, largest = -std::numeric_limits<double>::infinity();
    for (Index j = 0; j < keys; ++j)
        if (mask.visible(i, j)) {
            count += 1.0;
            sum += row[j];
            largest = std::max(largest, row[j]);
        }
    double exponentials = 0.0;
    for (Index j = 0; j < keys; ++j)
        if (mask.visible(i, j)) exponentials += std::exp(row[j] - largest);
    const double mean = sum / count;
    for (Index j = 0; j < keys; ++j) {
        const double first = (row[j] - mean) / count;
        const double higher = std::exp(row[j] - largest) / exponentials - 1.0 / count - first;
        row[j] = gates.sigma1 * first + gates.sigmah * higher + gates.sigma0 / count;
    }
}

/// Section 8.
class ZerosSmRows : public RowKernel {
public:
    ZerosSmRows(const ZerosSm& spec, const FloatHead& head) : spec_(spec), head_(head) {}
    RowForm form() const override { return RowForm::Weights; }
    void fill(std::span<const Index> rows, Index keys, MatrixSpan<double> out) const override {
        fillLogits(head_, rows, keys, out);
        for (std::size_t n = 0; n < rows.size(); ++n)
            zeroSumRow(spec_, head_.mask, rows[n], out.row(static_cast<Index>(n)), keys);
    }

private:
    ZerosSm spec_;
    const FloatHead& head_;
};

/// Section 8: radial zero-sum weights of s_j = -scale u_j.ubar_j times the cosine of q and k, u = k.
class LinearZerosRows : public RowKernel {
public:
    LinearZerosRows(const LinearZeros& spec, const FloatHead& head)
        : spec_(spec), head_(head), radial_(radial(spec, head)), unitKeys_(unitRows(eigen(head.key.view()))) {}
    RowForm form() const override { return RowForm::Weights; }
    void fill(std::span<const Index> rows, Index keys, MatrixSpan<double> out) const override {
        const RowMajor<float> query = unitRows(gatherRows(head_.query.view(), rows));
        eigen(out) = (query * unitKeys_.topRows(keys).transpose()).cast<double>();
        std::vector<double> weights(static_cast<std::size_t>(keys));
        for (std::size_t n = 0; n < rows.size(); ++n) {
            std::copy_n(radial_.begin(), keys, weights.begin());
            zeroSumRow(spec_, head_.mask, rows[n], weights.data(), keys);
            double* row = out.row(static_cast<Index>(n));
            for (Index j = 0; j < keys; ++j) row[j] *= weights[static_cast<std::size_t>(j)];
        }
    }

private:
    /// ubar_j: mean of mu, weighing e^tau, and of the valid keys up to j.
    static std::vector<double> radial(const LinearZeros& spec, const FloatHead& head) {
        const auto key = eigen(head.key.view());
        double count = std::exp(std::clamp(spec.tau, -50.0, 30.0));
        Eigen::RowVectorXd sum = Eigen::RowVectorXd::Zero(key.cols());
        if (spec.mu) sum = count * Eigen::Map<const Eigen::RowVectorXd>(spec.mu->data(), key.cols());
        std::vector<double> out;
        for (Eigen::Index j = 0; j < key.rows(); ++j) {
            const Eigen::RowVectorXd current = key.row(j).cast<double>();
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
    std::vector<double> radial_;  // (rows)
    RowMajor<float> unitKeys_;    // (rows, head_dim)
};

/// Section 9: scale decay^(i - j) times the logit.
class RetNetRows : public RowKernel {
public:
    RetNetRows(const RetNet& spec, const FloatHead& head) : head_(head) {
        for (Index distance = 0; distance < head.key.view().rows(); ++distance)
            decays_.push_back(std::pow(spec.decay, static_cast<double>(distance)));
        scale_ = spec.scale;
    }
    RowForm form() const override { return RowForm::Weights; }
    void fill(std::span<const Index> rows, Index keys, MatrixSpan<double> out) const override {
        fillLogits(head_, rows, keys, out);
        for (std::size_t n = 0; n < rows.size(); ++n) {
            double* row = out.row(static_cast<Index>(n));
            for (Index j = 0; j < keys; ++j) {
                const double decay = decays_[static_cast<std::size_t>(std::abs(rows[n] - j))];
                row[j] *= scale_ * (j <= rows[n] ? decay : 1.0 / decay);
            }
        }
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
