// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/attention_math.h"
#include "kernels/reference/pair_families.h"
#include "kernels/reference/pair_math.h"

namespace dimscope::kernels::reference {
namespace {

void hadamard(std::vector<double>& x) {
    for (std::size_t half = 1; half < x.size(); half *= 2)
        for (std::size_t start = 0; start < x.size(); start += 2 * half)
            for (std::size_t n = start; n < start + half; ++n) {
                const double a = x[n], b = x[n + half];
                x[n] = a + b;
                x[n + half] = a - b;
            }
}

/// d^-1/2 S H(G Pi H(B x)).
template <class Spec>
std::vector<double> fastFood(const Spec& spec, std::vector<double> x) {
    const std::size_t d = x.size();
    std::vector<double> permuted(d);
    for (std::size_t r = 0; r < d; ++r) x[r] *= (*spec.b)[r];
    hadamard(x);
    for (std::size_t r = 0; r < d; ++r)
        permuted[r] = (*spec.g)[r] * x[static_cast<std::size_t>((*spec.permutation)[r])];
    hadamard(permuted);
    for (std::size_t r = 0; r < d; ++r) permuted[r] *= (*spec.s)[r] / std::sqrt(static_cast<double>(d));
    return permuted;
}

/// A row of x times a factor.
std::vector<double> scaledRow(const Matrix<double>& x, Index i, double factor) {
    std::vector<double> row(x.row(i), x.row(i) + x.cols());
    for (double& v : row) v *= factor;
    return row;
}

/// |u_q + u_k|^2 of one position; u = sqrt(scale) x.
double positionPhi(const DoubleHead& head, Index position) {
    double sum = 0.0;
    for (Index r = 0; r < head.query.cols(); ++r)
        sum += head.scale * std::pow(head.query(position, r) + head.key(position, r), 2);
    return sum;
}

/// Its mean over all pairs of valid positions.
double sequencePhi(const DoubleHead& head) {
    double sum = 0.0, positions = 0.0;
    for (Index i = 0; i < head.query.rows(); ++i)
        if (head.mask.isValid(i)) positions += 1.0;
    for (Index r = 0; r < head.query.cols(); ++r) {
        double q2 = 0.0, k2 = 0.0, q1 = 0.0, k1 = 0.0;
        for (Index i = 0; i < head.query.rows(); ++i) {
            if (!head.mask.isValid(i)) continue;
            const double q = head.query(i, r), k = head.key(i, r);
            q2 += q * q;
            k2 += k * k;
            q1 += q;
            k1 += k;
        }
        sum += head.scale * (q2 / positions + k2 / positions + 2.0 * (q1 / positions) * (k1 / positions));
    }
    return sum;
}

/// Section 2.2: exp(B (z_f - max z)) + epsilon with z the FastFood projections and one constant feature 1.
class SpectraFormerPairs : public PositiveKernel {
public:
    SpectraFormerPairs(const SpectraFormer& spec, const DoubleHead& head)
        : spec_(spec), head_(head), query_(features(head.query)), key_(features(head.key)) {}
    double logKappa(Index i, Index j) const override { return std::log(rowDot(query_, i, key_, j)); }

private:
    Matrix<double> features(const Matrix<double>& x) const {
        const Index d = x.cols();
        Matrix<double> out(x.rows(), d + 1);
        const bool perPosition = spec_.statistic == SpectraFormer::Statistic::Position;
        const bool calibrated = spec_.statistic == SpectraFormer::Statistic::Calibrated;
        const double shared = perPosition ? 0.0 : calibrated ? spec_.phi : sequencePhi(head_);
        const double upstream = spec_.scaling == SpectraFormer::Scaling::Upstream ? std::sqrt(head_.scale) : 1.0;
        for (Index i = 0; i < x.rows(); ++i) {
            std::vector<double> z = fastFood(spec_, scaledRow(x, i, std::sqrt(head_.scale) * upstream));
            z.push_back(1.0);
            const double largest = *std::max_element(z.begin(), z.end());
            const double sharpness =
                oprfSharpness(perPosition ? positionPhi(head_, i) : shared, static_cast<double>(d));
            for (Index f = 0; f <= d; ++f)
                out(i, f) = std::exp(sharpness * (z[static_cast<std::size_t>(f)] - largest)) + spec_.epsilon;
        }
        return out;
    }

    SpectraFormer spec_;
    const DoubleHead& head_;
    Matrix<double> query_, key_;
};

/// Section 2.1: the mean over rows w of D^2 exp(2 A |w|^2 + B w.(q' + k') - (|q'|^2 + |k'|^2) / 2), D = (1 - 4A)^(d/4).
class SpectraFormerUnbiasedPairs : public PositiveKernel {
public:
    SpectraFormerUnbiasedPairs(const SpectraFormerUnbiased& spec, const DoubleHead& head) : spec_(spec), head_(head) {
        const bool calibrated = spec.statistic == SpectraFormerUnbiased::Statistic::Calibrated;
        const auto d = static_cast<double>(head.query.cols());
        const double phi = calibrated ? spec.phi : sequencePhi(head);
        constant_ = oprfConstant(phi, d);
        sharpness_ = oprfSharpness(phi, d);
        logD_ = 0.25 * d * std::log(1.0 - 4.0 * constant_);
        squaredNorms_ = rowNorms();
        query_ = logFeatures(head.query);
        key_ = logFeatures(head.key);
    }
    double logKappa(Index i, Index j) const override {
        std::vector<double> sums;
        for (Index f = 0; f < query_.cols(); ++f) sums.push_back(query_(i, f) + key_(j, f));
        return logSumExp(sums) - std::log(static_cast<double>(query_.cols()));
    }

private:
    /// |w_f|^2 of the rows that fastFood multiplies with, from its columns.
    std::vector<double> rowNorms() const {
        const auto d = static_cast<std::size_t>(head_.query.cols());
        std::vector<double> norms(d, 0.0);
        for (std::size_t r = 0; r < d; ++r) {
            std::vector<double> unit(d, 0.0);
            unit[r] = 1.0;
            const std::vector<double> column = fastFood(spec_, unit);
            for (std::size_t f = 0; f < d; ++f) norms[f] += column[f] * column[f];
        }
        return norms;
    }
    Matrix<double> logFeatures(const Matrix<double>& x) const {
        Matrix<double> out(x.rows(), x.cols());
        for (Index i = 0; i < x.rows(); ++i) {
            const std::vector<double> z = fastFood(spec_, scaledRow(x, i, std::sqrt(head_.scale)));
            const double halfNorm = 0.5 * head_.scale * dot(x.row(i), x.row(i), x.cols());
            for (std::size_t f = 0; f < z.size(); ++f)
                out(i, static_cast<Index>(f)) = logD_ + constant_ * squaredNorms_[f] + sharpness_ * z[f] - halfNorm;
        }
        return out;
    }

    SpectraFormerUnbiased spec_;
    const DoubleHead& head_;
    double constant_ = 0.0, sharpness_ = 1.0, logD_ = 0.0;
    std::vector<double> squaredNorms_;  // (head_dim)
    Matrix<double> query_, key_;        // (rows, head_dim): logarithms of the features
};

}  // namespace

PairsPointer makePairs(const SpectraFormer& spec, const DoubleHead& head) {
    return std::make_unique<SpectraFormerPairs>(spec, head);
}

PairsPointer makePairs(const SpectraFormerUnbiased& spec, const DoubleHead& head) {
    return std::make_unique<SpectraFormerUnbiasedPairs>(spec, head);
}

}  // namespace dimscope::kernels::reference
