// SPDX-License-Identifier: GPL-3.0-or-later
#include <limits>

#include "kernels/attention_math.h"
#include "kernels/reference/pair_families.h"
#include "kernels/reference/pair_math.h"

// Kernels of the logit, and those whose features need the log domain. Section numbers: resources/docs/kernels.md.

namespace dimscope::kernels::reference {
namespace {

/// Exact attention: the sink is one more logit in the denominator, whose value is 0.
class ExactPairs : public PairwiseKernel {
public:
    explicit ExactPairs(const DoubleHead& head) : head_(head) {}
    KeyWeights weigh(Index i, std::span<const Index> keys) const override {
        std::vector<double> logits;
        for (const Index j : keys) logits.push_back(softCapped(logit(head_, i, j), head_.softcap));
        if (head_.sink) logits.push_back(*head_.sink);
        const bool bad = !std::isfinite(logSumExp(logits));
        KeyWeights row{softmax(std::move(logits)), bad, false};
        row.weights.resize(keys.size());
        return row;
    }

private:
    const DoubleHead& head_;
};

/// Section 1. epsilon = 0: ln of the mean over features of exp(l_f(q) + l_f(k)).
class PerformerPairs : public PositiveKernel {
public:
    PerformerPairs(const Performer& spec, const DoubleHead& head)
        : spec_(spec), head_(head), queryLog_(logFeatures(head.query)), keyLog_(logFeatures(head.key)) {
        if (spec.epsilon > 0.0) shiftAndFloor();
    }

    double logKappa(Index i, Index j) const override {
        if (spec_.epsilon > 0.0) return std::log(rowDot(queryLog_, i, keyLog_, j));
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

/// Section 3: sum_f exp(2 theta_f) softmax_f(z(q)) softmax_f(z(k)), z_n = t_n sum_k x_k C_kn.
class DiJiangPairs : public PositiveKernel {
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
class TaylorShiftPairs : public PositiveKernel {
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

class TaylorPairs : public PositiveKernel {
public:
    explicit TaylorPairs(const DoubleHead& head) : head_(head) {}
    double logKappa(Index i, Index j) const override { return std::log(taylorQuadratic(logit(head_, i, j))); }

private:
    const DoubleHead& head_;
};

/// Section 5: eps + |L^T (1, s_1, .., s_G)|^2.
class QuadraticPairs : public PositiveKernel {
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

/// Section 9: the logit to an integer power; positive for even ones.
class PowerPairs : public SignedKernel {
public:
    PowerPairs(const Power& spec, const DoubleHead& head) : spec_(spec), head_(head) {}
    double kappa(Index i, Index j) const override { return std::pow(logit(head_, i, j), spec_.exponent); }

private:
    Power spec_;
    const DoubleHead& head_;
};

/// The same weight for every key, the first key alone, or none at all.
class ConstantPairs : public PairwiseKernel {
public:
    enum class Which { Every, First, None };
    explicit ConstantPairs(Which which) : which_(which) {}
    KeyWeights weigh(Index, std::span<const Index> keys) const override {
        const auto count = static_cast<double>(keys.size());
        KeyWeights row{std::vector<double>(keys.size(), which_ == Which::Every ? 1.0 / count : 0.0)};
        if (which_ == Which::First) row.weights.front() = 1.0;
        return row;
    }

private:
    Which which_;
};

struct MakePairs {
    const DoubleHead& head;

    PairsPointer operator()(const Softmax&) const { return std::make_unique<ExactPairs>(head); }
    PairsPointer operator()(const Performer& s) const { return std::make_unique<PerformerPairs>(s, head); }
    PairsPointer operator()(const DiJiang& s) const { return std::make_unique<DiJiangPairs>(s, head); }
    PairsPointer operator()(const TaylorShift& s) const { return std::make_unique<TaylorShiftPairs>(s, head); }
    PairsPointer operator()(const Taylor&) const { return std::make_unique<TaylorPairs>(head); }
    PairsPointer operator()(const Based&) const { return std::make_unique<TaylorPairs>(head); }
    PairsPointer operator()(const GlobalQuadratic& s) const {
        return std::make_unique<QuadraticPairs>(asOal(s, head.query.cols()), head);
    }
    PairsPointer operator()(const Oal& s) const { return std::make_unique<QuadraticPairs>(s, head); }
    PairsPointer operator()(const Power& s) const { return std::make_unique<PowerPairs>(s, head); }
    PairsPointer operator()(const Uniform&) const { return constant(ConstantPairs::Which::Every); }
    PairsPointer operator()(const Zero&) const { return constant(ConstantPairs::Which::None); }
    PairsPointer operator()(const FirstValue&) const { return constant(ConstantPairs::Which::First); }
    template <class Spec>
    PairsPointer operator()(const Spec& s) const {
        return makePairs(s, head);
    }

private:
    static PairsPointer constant(ConstantPairs::Which which) { return std::make_unique<ConstantPairs>(which); }
};

}  // namespace

std::unique_ptr<PairwiseKernel> makePairwise(const KernelSpec& spec, const DoubleHead& head) {
    return std::visit(MakePairs{head}, spec);
}

}  // namespace dimscope::kernels::reference
