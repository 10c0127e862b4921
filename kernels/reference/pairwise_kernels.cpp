// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "kernels/attention_math.h"
#include "kernels/reference/pairwise.h"

// One class per kernel, in the order of KernelSpec. Section numbers: resources/docs/kernels.md.

namespace dimscope::kernels::reference {
namespace {

double dot(const double* a, const double* b, Index n) { return std::inner_product(a, a + n, b, 0.0); }

double logit(const DoubleHead& head, Index i, Index j) {
    return head.scale * dot(head.query.row(i), head.key.row(j), head.query.cols());
}

double logSumExp(const std::vector<double>& x) {
    const double largest = *std::max_element(x.begin(), x.end());
    if (!std::isfinite(largest)) return largest;
    double sum = 0.0;
    for (const double v : x) sum += std::exp(v - largest);
    return largest + std::log(sum);
}

/// ln of the scalar product of two positive feature rows.
double logDot(const Matrix<double>& a, Index i, const Matrix<double>& b, Index j) {
    return std::log(dot(a.row(i), b.row(j), a.cols()));
}

class ExactPairs : public PairwiseKernel {
public:
    explicit ExactPairs(const DoubleHead& head) : head_(head) {}
    double logKappa(Index i, Index j) const override { return softCapped(logit(head_, i, j), head_.softcap); }

private:
    const DoubleHead& head_;
};

/// Section 1. epsilon = 0: ln of the mean over features of exp(l_f(q) + l_f(k)).
class PerformerPairs : public PairwiseKernel {
public:
    PerformerPairs(const Performer& spec, const DoubleHead& head)
        : spec_(spec), head_(head), queryLog_(logFeatures(head.query)), keyLog_(logFeatures(head.key)) {
        if (spec.epsilon > 0.0) shiftAndFloor();
    }

    double logKappa(Index i, Index j) const override {
        if (spec_.epsilon > 0.0) return logDot(queryLog_, i, keyLog_, j);
        std::vector<double> sums(static_cast<std::size_t>(queryLog_.cols()));
        for (Index f = 0; f < queryLog_.cols(); ++f)
            sums[static_cast<std::size_t>(f)] = queryLog_(i, f) + keyLog_(j, f);
        return logSumExp(sums) - std::log(static_cast<double>(queryLog_.cols()));
    }

private:
    double halfSquaredNorm(const double* x) const { return 0.5 * head_.scale * dot(x, x, head_.query.cols()); }

    Matrix<double> logFeatures(const Matrix<double>& x) const {
        const Matrix<double>& w = *spec_.projection;
        Matrix<double> log(x.rows(), w.rows());
        for (Index i = 0; i < x.rows(); ++i)
            for (Index f = 0; f < w.rows(); ++f)
                log(i, f) = std::sqrt(head_.scale) * dot(w.row(f), x.row(i), w.cols()) - halfSquaredNorm(x.row(i));
        return log;
    }

    /// exp(l - maximum) + epsilon: the query's own maximum, one key maximum over valid tokens and features. With
    /// Shift::Projection the maximum is that of w.x' alone, before the norm term (upstream code).
    void shiftAndFloor() {
        const bool projection = spec_.shift == Performer::Shift::Projection;
        double keyMaximum = -std::numeric_limits<double>::infinity();
        for (Index j = 0; j < keyLog_.rows(); ++j)
            if (head_.mask.isValid(j)) keyMaximum = std::max(keyMaximum, maximum(keyLog_, head_.key, j, projection));
        for (Index i = 0; i < queryLog_.rows(); ++i) {
            expRow(queryLog_.row(i), maximum(queryLog_, head_.query, i, projection));
            expRow(keyLog_.row(i), keyMaximum);
        }
    }
    double maximum(const Matrix<double>& log, const Matrix<double>& x, Index i, bool projection) const {
        const double largest = *std::max_element(log.row(i), log.row(i) + log.cols());
        return projection ? largest + halfSquaredNorm(x.row(i)) : largest;
    }
    void expRow(double* row, double shift) const {
        for (Index f = 0; f < queryLog_.cols(); ++f) row[f] = std::exp(row[f] - shift) + spec_.epsilon;
    }

    Performer spec_;
    const DoubleHead& head_;
    Matrix<double> queryLog_, keyLog_;  // (rows, features): logarithms, or features where epsilon > 0
};

/// Section 2.2: exp(B (z_f - max z)) + epsilon with z the FastFood projections and one constant feature 1.
class SpectraFormerPairs : public PairwiseKernel {
public:
    SpectraFormerPairs(const SpectraFormer& spec, const DoubleHead& head)
        : spec_(spec), head_(head), query_(features(head.query)), key_(features(head.key)) {}
    double logKappa(Index i, Index j) const override { return logDot(query_, i, key_, j); }

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

/// Section 3: sum_f exp(2 theta_f) softmax_f(z(q)) softmax_f(z(k)), z_n = t_n sum_k x_k C_kn.
class DiJiangPairs : public PairwiseKernel {
public:
    DiJiangPairs(const DiJiang& spec, const DoubleHead& head)
        : spec_(spec), head_(head), query_(logFeatures(head.query)), key_(logFeatures(head.key)) {}

    double logKappa(Index i, Index j) const override {
        std::vector<double> terms(static_cast<std::size_t>(query_.cols()));
        for (Index f = 0; f < query_.cols(); ++f) {
            const auto n = static_cast<std::size_t>(f);
            terms[n] = (spec_.theta ? 2.0 * (*spec_.theta)[n] : 0.0) + query_(i, f) + key_(j, f);
        }
        return logSumExp(terms);
    }

private:
    Matrix<double> logFeatures(const Matrix<double>& x) const {
        const auto d = static_cast<int>(x.cols());
        const bool inverse = spec_.orientation == DiJiang::Orientation::Inverse;
        Matrix<double> out(x.rows(), d);
        for (Index i = 0; i < x.rows(); ++i) {
            std::vector<double> z(static_cast<std::size_t>(d), 0.0);
            for (int n = 0; n < d; ++n) {
                for (int k = 0; k < d; ++k)
                    z[static_cast<std::size_t>(n)] += x(i, k) * (inverse ? dctEntry(k, n, d) : dctEntry(n, k, d));
                z[static_cast<std::size_t>(n)] *= std::sqrt(head_.scale) * (*spec_.t)[static_cast<std::size_t>(n)];
            }
            const double normaliser = logSumExp(z);
            for (int n = 0; n < d; ++n) out(i, n) = z[static_cast<std::size_t>(n)] - normaliser;
        }
        return out;
    }

    DiJiang spec_;
    const DoubleHead& head_;
    Matrix<double> query_, key_;
};

/// Section 4.
class TaylorShiftPairs : public PairwiseKernel {
public:
    TaylorShiftPairs(const TaylorShift& spec, const DoubleHead& head) : spec_(spec), head_(head) {}
    double logKappa(Index i, Index j) const override {
        const Index d = head_.query.cols();
        const double* q = head_.query.row(i);
        const double* k = head_.key.row(j);
        const double norms = std::max(std::sqrt(dot(q, q, d)), 1e-12) * std::max(std::sqrt(dot(k, k, d)), 1e-12);
        return std::log(taylorQuadratic(spec_.tau * dot(q, k, d) / norms));
    }

private:
    TaylorShift spec_;
    const DoubleHead& head_;
};

class TaylorPairs : public PairwiseKernel {
public:
    explicit TaylorPairs(const DoubleHead& head) : head_(head) {}
    double logKappa(Index i, Index j) const override { return std::log(taylorQuadratic(logit(head_, i, j))); }

private:
    const DoubleHead& head_;
};

/// Section 5: eps + |L^T (1, s_1, .., s_G)|^2.
class QuadraticPairs : public PairwiseKernel {
public:
    QuadraticPairs(Oal spec, const DoubleHead& head) : spec_(std::move(spec)), head_(head) {}
    double logKappa(Index i, Index j) const override {
        std::vector<double> sums(static_cast<std::size_t>(spec_.groups) + 1, 0.0);
        sums[0] = 1.0;
        for (Index r = 0; r < head_.query.cols(); ++r)
            sums[static_cast<std::size_t>(spec_.label[static_cast<std::size_t>(r)]) + 1] +=
                head_.scale * head_.query(i, r) * head_.key(j, r);
        double kappa = spec_.epsilon;
        for (int col = 0; col <= spec_.groups; ++col) {
            double entry = 0.0;
            for (int row = col; row <= spec_.groups; ++row)
                entry +=
                    spec_.factor[static_cast<std::size_t>(packedIndex(row, col))] * sums[static_cast<std::size_t>(row)];
            kappa += entry * entry;
        }
        return std::log(kappa);
    }

private:
    Oal spec_;
    const DoubleHead& head_;
};

/// kappa = 1 for every visible key.
class ConstantPairs : public PairwiseKernel {
public:
    double logKappa(Index, Index) const override { return 0.0; }
};

struct Make {
    const DoubleHead& head;
    using Result = std::unique_ptr<PairwiseKernel>;

    Result operator()(const Softmax&) const { return std::make_unique<ExactPairs>(head); }
    Result operator()(const Performer& s) const { return std::make_unique<PerformerPairs>(s, head); }
    Result operator()(const SpectraFormer& s) const { return std::make_unique<SpectraFormerPairs>(s, head); }
    Result operator()(const DiJiang& s) const { return std::make_unique<DiJiangPairs>(s, head); }
    Result operator()(const TaylorShift& s) const { return std::make_unique<TaylorShiftPairs>(s, head); }
    Result operator()(const Taylor&) const { return std::make_unique<TaylorPairs>(head); }
    Result operator()(const GlobalQuadratic& s) const {
        return std::make_unique<QuadraticPairs>(asOal(s, head.query.cols()), head);
    }
    Result operator()(const Oal& s) const { return std::make_unique<QuadraticPairs>(s, head); }
    Result operator()(const Uniform&) const { return std::make_unique<ConstantPairs>(); }
    Result operator()(const Zero&) const { return std::make_unique<ConstantPairs>(); }
    Result operator()(const FirstValue&) const { return std::make_unique<ConstantPairs>(); }
};

}  // namespace

std::unique_ptr<PairwiseKernel> makePairwise(const KernelSpec& spec, const DoubleHead& head) {
    return std::visit(Make{head}, spec);
}

}  // namespace dimscope::kernels::reference
