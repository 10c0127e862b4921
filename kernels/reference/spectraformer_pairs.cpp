// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/attention_math.h"
#include "kernels/reference/pair_families.h"
#include "kernels/reference/pair_math.h"

namespace dimscope::kernels::reference {
namespace {

/// Section 2.2: exp(B (z_f - max z)) + epsilon with z the FastFood projections and one constant feature 1.
class SpectraFormerPairs : public PositiveKernel {
public:
    SpectraFormerPairs(const SpectraFormer& spec, const DoubleHead& head)
        : spec_(spec), head_(head), query_(features(head.query)), key_(features(head.key)) {}
    double logKappa(Index i, Index j) const override { return std::log(rowDot(query_, i, key_, j)); }

private:
    static void hadamard(std::vector<double>& x) {
        for (std::size_t half = 1; half < x.size(); half *= 2)
            for (std::size_t start = 0; start < x.size(); start += 2 * half)
                for (std::size_t n = start; n < start + half; ++n) {
                    const double a = x[n], b = x[n + half];
                    x[n] = a + b;
                    x[n + half] = a - b;
                }
    }

    std::vector<double> fastFood(const double* x) const {
        const auto d = static_cast<std::size_t>(head_.query.cols());
        const double dim = static_cast<double>(d);
        const double upstream = spec_.scaling == SpectraFormer::Scaling::Upstream ? std::sqrt(head_.scale) : 1.0;
        std::vector<double> z(d), permuted(d);
        for (std::size_t r = 0; r < d; ++r) z[r] = (*spec_.b)[r] * std::sqrt(head_.scale) * upstream * x[r];
        hadamard(z);
        for (std::size_t r = 0; r < d; ++r)
            permuted[r] = (*spec_.g)[r] * z[static_cast<std::size_t>((*spec_.permutation)[r])];
        hadamard(permuted);
        for (std::size_t r = 0; r < d; ++r) permuted[r] *= (*spec_.s)[r] / std::sqrt(dim);
        return permuted;
    }

    /// |u_q + u_k|^2 of one position, its mean over all pairs of the sequence, or the calibrated constant; u =
    /// sqrt(scale) x.
    double phi(Index position) const {
        if (spec_.statistic == SpectraFormer::Statistic::Calibrated) return spec_.phi;
        double sum = 0.0;
        if (spec_.statistic == SpectraFormer::Statistic::Position) {
            for (Index r = 0; r < head_.query.cols(); ++r)
                sum += head_.scale * std::pow(head_.query(position, r) + head_.key(position, r), 2);
            return sum;
        }
        double pairs = 0.0;
        for (Index i = 0; i < head_.query.rows(); ++i)
            if (head_.mask.isValid(i)) pairs += 1.0;
        for (Index r = 0; r < head_.query.cols(); ++r) {
            double q2 = 0.0, k2 = 0.0, q1 = 0.0, k1 = 0.0;
            for (Index i = 0; i < head_.query.rows(); ++i) {
                if (!head_.mask.isValid(i)) continue;
                const double q = head_.query(i, r), k = head_.key(i, r);
                q2 += q * q;
                k2 += k * k;
                q1 += q;
                k1 += k;
            }
            sum += head_.scale * (q2 / pairs + k2 / pairs + 2.0 * (q1 / pairs) * (k1 / pairs));
        }
        return sum;
    }

    Matrix<double> features(const Matrix<double>& x) const {
        const Index d = x.cols();
        Matrix<double> out(x.rows(), d + 1);
        const bool perPosition = spec_.statistic == SpectraFormer::Statistic::Position;
        const double shared = perPosition ? 0.0 : phi(0);
        for (Index i = 0; i < x.rows(); ++i) {
            std::vector<double> z = fastFood(x.row(i));
            z.push_back(1.0);
            const double largest = *std::max_element(z.begin(), z.end());
            const double sharpness = oprfSharpness(perPosition ? phi(i) : shared, static_cast<double>(d));
            for (Index f = 0; f <= d; ++f)
                out(i, f) = std::exp(sharpness * (z[static_cast<std::size_t>(f)] - largest)) + spec_.epsilon;
        }
        return out;
    }

    SpectraFormer spec_;
    const DoubleHead& head_;
    Matrix<double> query_, key_;
};

}  // namespace

PairsPointer makePairs(const SpectraFormer& spec, const DoubleHead& head) {
    return std::make_unique<SpectraFormerPairs>(spec, head);
}

}  // namespace dimscope::kernels::reference
