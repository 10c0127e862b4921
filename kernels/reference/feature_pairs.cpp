// SPDX-License-Identifier: GPL-3.0-or-later
#include <numbers>

#include "kernels/reference/pair_families.h"
#include "kernels/reference/pair_math.h"

// Kernels of explicit feature maps beyond the two papers: section 9 of resources/docs/kernels.md.

namespace dimscope::kernels::reference {
namespace {

/// One feature row per row of x, from a function of the row.
template <class Map>
Matrix<double> mapped(const Matrix<double>& x, Map map) {
    Matrix<double> out;
    for (Index i = 0; i < x.rows(); ++i) {
        const std::vector<double> features = map(std::vector<double>(x.row(i), x.row(i) + x.cols()));
        if (i == 0) out = Matrix<double>(x.rows(), static_cast<Index>(features.size()));
        std::copy(features.begin(), features.end(), out.row(i));
    }
    return out;
}

/// W x.
std::vector<double> product(const Matrix<double>& w, const std::vector<double>& x) {
    std::vector<double> out;
    for (Index r = 0; r < w.rows(); ++r) out.push_back(dot(w.row(r), x.data(), w.cols()));
    return out;
}

/// phi(q).phi(k) of positive features.
class PositiveFeaturePairs : public PositiveKernel {
public:
    PositiveFeaturePairs(Matrix<double> query, Matrix<double> key) : query_(std::move(query)), key_(std::move(key)) {}
    double logKappa(Index i, Index j) const override { return std::log(rowDot(query_, i, key_, j)); }

private:
    Matrix<double> query_, key_;  // (rows, features)
};

std::vector<double> eluFeatures(std::vector<double> x) {
    for (double& v : x) v = v > 0.0 ? v + 1.0 : std::exp(v);
    return x;
}

class CosFormerPairs : public SignedKernel {
public:
    CosFormerPairs(const CosFormer& spec, const DoubleHead& head)
        : spec_(spec), query_(mapped(head.query, rectified)), key_(mapped(head.key, rectified)) {}
    double kappa(Index i, Index j) const override {
        const auto distance = static_cast<double>(i - j);
        return rowDot(query_, i, key_, j) * std::cos(std::numbers::pi * distance / (2.0 * spec_.length));
    }
    double denominator(double sum) const override { return std::max(sum, 1e-6); }

private:
    static std::vector<double> rectified(std::vector<double> x) {
        for (double& v : x) v = std::max(v, 0.0);
        return x;
    }
    CosFormer spec_;
    Matrix<double> query_, key_;  // (rows, head_dim)
};

class RfaPairs : public SignedKernel {
public:
    RfaPairs(const Rfa& spec, const DoubleHead& head)
        : spec_(spec), query_(features(head.query)), key_(features(head.key)) {}
    double kappa(Index i, Index j) const override { return rowDot(query_, i, key_, j); }
    double denominator(double sum) const override { return spec_.floor > 0.0 ? std::max(sum, spec_.floor) : sum; }

private:
    Matrix<double> features(const Matrix<double>& x) const {
        return mapped(x, [this](std::vector<double> row) {
            const double length = norm(row.data(), static_cast<Index>(row.size())) + 1e-3;
            for (double& v : row) v /= length;
            std::vector<double> out;
            const std::vector<double> angles = product(*spec_.projection, row);
            for (const double angle : angles) out.push_back(0.1 * std::sin(angle));
            for (const double angle : angles) out.push_back(0.1 * std::cos(angle));
            return out;
        });
    }
    Rfa spec_;
    Matrix<double> query_, key_;  // (rows, 2 features)
};

/// softmax(y) and softmax(-y) with a floor, or one softmax over (2y, -2y).
std::vector<double> hedgehogFeatures(const std::vector<double>& y, Hedgehog::Variant variant) {
    const double factor = variant == Hedgehog::Variant::Fla ? 2.0 : 1.0;
    std::vector<double> positive, negative;
    for (const double v : y) {
        positive.push_back(factor * v);
        negative.push_back(-factor * v);
    }
    if (variant == Hedgehog::Variant::Fla) {
        positive.insert(positive.end(), negative.begin(), negative.end());
        return softmax(std::move(positive));
    }
    positive = softmax(std::move(positive));
    negative = softmax(std::move(negative));
    positive.insert(positive.end(), negative.begin(), negative.end());
    for (double& v : positive) v = std::max(v, 1e-12);
    return positive;
}

Matrix<double> hedgehogRows(const Matrix<double>& x, const Matrix<double>* w, Hedgehog::Variant variant) {
    return mapped(x, [&](const std::vector<double>& row) {
        return hedgehogFeatures(w != nullptr ? product(*w, row) : row, variant);
    });
}

class ReBasedPairs : public SignedKernel {
public:
    ReBasedPairs(const ReBased& spec, const DoubleHead& head)
        : spec_(spec), query_(layerNormalised(head.query)), key_(layerNormalised(head.key)) {}
    double kappa(Index i, Index j) const override {
        const double product = rowDot(query_, i, key_, j);
        return product * product / static_cast<double>(query_.cols());
    }

private:
    Matrix<double> layerNormalised(const Matrix<double>& x) const {
        return mapped(x, [this](std::vector<double> row) {
            const auto d = static_cast<double>(row.size());
            const double mean = std::accumulate(row.begin(), row.end(), 0.0) / d;
            for (double& v : row) v -= mean;
            const double variance = dot(row.data(), row.data(), static_cast<Index>(row.size())) / d;
            for (std::size_t r = 0; r < row.size(); ++r) {
                row[r] *= (spec_.gamma ? (*spec_.gamma)[r] : 1.0) / std::sqrt(variance + 1e-5);
                row[r] += spec_.beta ? (*spec_.beta)[r] : 0.0;
            }
            return row;
        });
    }
    ReBased spec_;
    Matrix<double> query_, key_;  // (rows, head_dim)
};

class PolySketchPairs : public SignedKernel {
public:
    PolySketchPairs(const PolySketch& spec, const DoubleHead& head)
        : spec_(spec), query_(sketched(head.query)), key_(sketched(head.key)) {}
    double kappa(Index i, Index j) const override { return std::pow(rowDot(query_, i, key_, j), 2); }
    double denominator(double sum) const override { return 1.0 + sum; }

private:
    /// (x S1) * (x S2) / r elementwise: r^-1/2 on each sketch.
    Matrix<double> sketched(const Matrix<double>& x) const {
        return mapped(x, [this](const std::vector<double>& row) {
            const Matrix<double>&s1 = *spec_.s1, &s2 = *spec_.s2;
            std::vector<double> out;
            for (Index c = 0; c < s1.cols(); ++c) {
                double first = 0.0, second = 0.0;
                for (std::size_t r = 0; r < row.size(); ++r) {
                    first += row[r] * s1(static_cast<Index>(r), c);
                    second += row[r] * s2(static_cast<Index>(r), c);
                }
                out.push_back(first * second / static_cast<double>(s1.cols()));
            }
            return out;
        });
    }
    PolySketch spec_;
    Matrix<double> query_, key_;  // (rows, sketches)
};

/// sigma exp(s - m) inside the window, m its largest logit there; features before it; one denominator.
class LolcatsPairs : public PairwiseKernel {
public:
    LolcatsPairs(const Lolcats& spec, const DoubleHead& head)
        : spec_(spec),
          head_(head),
          query_(hedgehogRows(head.query, nullptr, Hedgehog::Variant::Lolcats)),
          key_(hedgehogRows(head.key, nullptr, Hedgehog::Variant::Lolcats)) {}
    KeyWeights weigh(Index i, std::span<const Index> keys) const override {
        double largest = -std::numeric_limits<double>::infinity();
        for (const Index j : keys)
            if (i - j < spec_.window) largest = std::max(largest, logit(head_, i, j));
        KeyWeights row;
        double sum = 0.0;
        for (const Index j : keys) {
            row.weights.push_back(i - j < spec_.window ? spec_.sigma * std::exp(logit(head_, i, j) - largest)
                                                       : rowDot(query_, i, key_, j));
            sum += row.weights.back();
        }
        row.bad = !(sum > 0.0) || !std::isfinite(sum);
        for (double& weight : row.weights) weight /= sum;
        return row;
    }

private:
    Lolcats spec_;
    const DoubleHead& head_;
    Matrix<double> query_, key_;  // (rows, 2 head_dim)
};

}  // namespace

PairsPointer makePairs(const Elu&, const DoubleHead& head) {
    return std::make_unique<PositiveFeaturePairs>(mapped(head.query, eluFeatures), mapped(head.key, eluFeatures));
}

PairsPointer makePairs(const CosFormer& spec, const DoubleHead& head) {
    return std::make_unique<CosFormerPairs>(spec, head);
}

PairsPointer makePairs(const Rfa& spec, const DoubleHead& head) { return std::make_unique<RfaPairs>(spec, head); }

PairsPointer makePairs(const Hedgehog& spec, const DoubleHead& head) {
    return std::make_unique<PositiveFeaturePairs>(hedgehogRows(head.query, spec.query.get(), spec.variant),
                                                  hedgehogRows(head.key, spec.key.get(), spec.variant));
}

PairsPointer makePairs(const ReBased& spec, const DoubleHead& head) {
    return std::make_unique<ReBasedPairs>(spec, head);
}

PairsPointer makePairs(const PolySketch& spec, const DoubleHead& head) {
    return std::make_unique<PolySketchPairs>(spec, head);
}

PairsPointer makePairs(const Lolcats& spec, const DoubleHead& head) {
    return std::make_unique<LolcatsPairs>(spec, head);
}

}  // namespace dimscope::kernels::reference
