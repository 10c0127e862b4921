// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <numbers>

#include "kernels/cpu/row_kernel.h"

// Kernels of explicit feature maps beyond the two papers: section 9 of resources/docs/kernels.md. One product of the
// query rows' features with those of all keys; features of keys are computed once.

namespace dimscope::kernels::cpu {
namespace {

/// phi(q).phi(k) in T; a derived class turns the products into kappa.
template <class T>
class FeatureRows : public RowKernel {
public:
    RowForm form() const override { return RowForm::Kernel; }
    void fill(std::span<const Index> rows, Index keys, MatrixSpan<double> out) const override {
        const RowMajor<T> query = queryFeatures(gatherRows(head_.query.view(), rows));
        eigen(out) = (query * keyFeatures_.topRows(keys).transpose()).template cast<double>();
    }

protected:
    FeatureRows(const FloatHead& head, RowMajor<T> keyFeatures) : head_(head), keyFeatures_(std::move(keyFeatures)) {}
    virtual RowMajor<T> queryFeatures(RowMajor<float> x) const = 0;
    const FloatHead& head() const { return head_; }

private:
    const FloatHead& head_;
    RowMajor<T> keyFeatures_;  // (rows, features)
};

RowMajor<float> keysOf(const FloatHead& head) { return eigen(head.key.view()); }

class EluRows : public FeatureRows<float> {
public:
    explicit EluRows(const FloatHead& head) : FeatureRows(head, features(keysOf(head))) {}

private:
    /// elu(x) + 1 = max(x, 0) + exp(min(x, 0)).
    static RowMajor<float> features(const RowMajor<float>& x) {
        return x.array().max(0.0F) + x.array().min(0.0F).exp();
    }
    RowMajor<float> queryFeatures(RowMajor<float> x) const override { return features(x); }
};

class CosFormerRows : public FeatureRows<float> {
public:
    CosFormerRows(const CosFormer& spec, const FloatHead& head) : FeatureRows(head, rectified(keysOf(head))) {
        const Index positions = head.key.view().rows();
        for (Index distance = 0; distance < positions; ++distance)
            cosines_.push_back(std::cos(std::numbers::pi * static_cast<double>(distance) / (2.0 * spec.length)));
    }
    void fill(std::span<const Index> rows, Index keys, MatrixSpan<double> out) const override {
        FeatureRows::fill(rows, keys, out);
        for (std::size_t n = 0; n < rows.size(); ++n) {
            double* row = out.row(static_cast<Index>(n));
            for (Index j = 0; j < keys; ++j) row[j] *= cosines_[static_cast<std::size_t>(std::abs(rows[n] - j))];
        }
    }
    double denominator(double sum) const override { return std::max(sum, 1e-6); }

private:
    static RowMajor<float> rectified(const RowMajor<float>& x) { return x.cwiseMax(0.0F); }
    RowMajor<float> queryFeatures(RowMajor<float> x) const override { return rectified(x); }
    std::vector<double> cosines_;  // by distance
};

struct SineCosine {
    double sine, cosine;
};

/// Both to 4e-11, beyond the digits of float keys, in half of the library's time: the angle less the nearest
/// multiple of pi/2 (in two parts, the first times any integer up to 2^20 exact), then Taylor series up to pi/4.
SineCosine sineCosine(double angle) {
    constexpr double kLargest = 1e6, kHalfPiHigh = 0x1.921fb544p+0, kHalfPiLow = std::numbers::pi / 2 - kHalfPiHigh;
    if (!(std::abs(angle) < kLargest)) return {std::sin(angle), std::cos(angle)};
    const auto quarter = static_cast<int>(std::lrint(angle * (2.0 / std::numbers::pi)));
    const double x = (angle - quarter * kHalfPiHigh) - quarter * kHalfPiLow;
    const double y = x * x;
    const double sine =
        x * (1 + y * (-1.0 / 6 + y * (1.0 / 120 + y * (-1.0 / 5040 + y * (1.0 / 362880 - y / 39916800)))));
    const double cosine =
        1 +
        y * (-1.0 / 2 + y * (1.0 / 24 + y * (-1.0 / 720 + y * (1.0 / 40320 + y * (-1.0 / 3628800 + y / 479001600)))));
    switch (quarter & 3) {
        case 0: return {sine, cosine};
        case 1: return {cosine, -sine};
        case 2: return {-sine, -cosine};
        default: return {-cosine, sine};
    }
}

/// In double: where kappa changes sign a row's sum loses digits that float has not got.
class RfaRows : public FeatureRows<double> {
public:
    RfaRows(const Rfa& spec, const FloatHead& head)
        : FeatureRows(head, features(keysOf(head).cast<double>(), spec)), spec_(spec) {}
    double denominator(double sum) const override { return spec_.floor > 0.0 ? std::max(sum, spec_.floor) : sum; }

private:
    static RowMajor<double> features(RowMajor<double> x, const Rfa& spec) {
        for (Eigen::Index r = 0; r < x.rows(); ++r) x.row(r) /= x.row(r).norm() + 1e-3;
        const RowMajor<double> angles = x * eigen(*spec.projection).transpose();
        RowMajor<double> out(angles.rows(), 2 * angles.cols());
        for (Eigen::Index r = 0; r < angles.rows(); ++r)
            for (Eigen::Index f = 0; f < angles.cols(); ++f) {
                const SineCosine both = sineCosine(angles(r, f));
                out(r, f) = 0.1 * both.sine;
                out(r, angles.cols() + f) = 0.1 * both.cosine;
            }
        return out;
    }
    RowMajor<double> queryFeatures(RowMajor<float> x) const override { return features(x.cast<double>(), spec_); }
    Rfa spec_;
};

/// Each row to its softmax.
template <class T>
void softmaxRows(Eigen::Ref<RowMajor<T>, 0, Eigen::OuterStride<>> x) {
    const Eigen::Vector<T, Eigen::Dynamic> largest = x.rowwise().maxCoeff();
    x = (x.colwise() - largest).array().exp();
    const Eigen::Vector<T, Eigen::Dynamic> sums = x.rowwise().sum();
    x.array().colwise() /= sums.array();
}

/// Softmaxes of y and -y, floored; or one over (2y, -2y).
template <class T>
RowMajor<T> hedgehogFeatures(const RowMajor<T>& y, Hedgehog::Variant variant) {
    RowMajor<T> out(y.rows(), 2 * y.cols());
    if (variant == Hedgehog::Variant::Fla) {
        out << T(2) * y, T(-2) * y;
        softmaxRows<T>(out);
        return out;
    }
    out << y, -y;
    softmaxRows<T>(out.leftCols(y.cols()));
    softmaxRows<T>(out.rightCols(y.cols()));
    return out.cwiseMax(T(1e-12));
}

/// T: float holds products of two floored features; without the floor they reach below its range, so double.
template <class T>
class HedgehogRows : public FeatureRows<T> {
public:
    HedgehogRows(const Hedgehog& spec, const FloatHead& head)
        : FeatureRows<T>(head, features(keysOf(head), spec.key.get(), spec.variant)), spec_(spec) {}

private:
    static RowMajor<T> features(const RowMajor<float>& x, const Matrix<double>* w, Hedgehog::Variant variant) {
        if (w == nullptr) return hedgehogFeatures<T>(x.cast<T>(), variant);
        return hedgehogFeatures<T>(x.cast<T>() * eigen(*w).transpose().template cast<T>(), variant);
    }
    RowMajor<T> queryFeatures(RowMajor<float> x) const override {
        return features(x, spec_.query.get(), spec_.variant);
    }
    Hedgehog spec_;
};

class ReBasedRows : public FeatureRows<float> {
public:
    ReBasedRows(const ReBased& spec, const FloatHead& head)
        : FeatureRows(head, layerNormalised(keysOf(head), spec)), spec_(spec) {}
    void fill(std::span<const Index> rows, Index keys, MatrixSpan<double> out) const override {
        FeatureRows::fill(rows, keys, out);
        eigen(out) = eigen(out).cwiseAbs2() / static_cast<double>(head().key.view().cols());
    }

private:
    static RowMajor<float> layerNormalised(RowMajor<float> x, const ReBased& spec) {
        const Eigen::Index d = x.cols();
        Eigen::RowVectorXd gamma = Eigen::RowVectorXd::Ones(d), beta = Eigen::RowVectorXd::Zero(d);
        if (spec.gamma) gamma = Eigen::Map<const Eigen::RowVectorXd>(spec.gamma->data(), d);
        if (spec.beta) beta = Eigen::Map<const Eigen::RowVectorXd>(spec.beta->data(), d);
        for (Eigen::Index r = 0; r < x.rows(); ++r) {
            Eigen::RowVectorXd row = x.row(r).cast<double>();
            row.array() -= row.mean();
            row *= 1.0 / std::sqrt(row.squaredNorm() / static_cast<double>(d) + 1e-5);
            x.row(r) = (row.cwiseProduct(gamma) + beta).cast<float>();
        }
        return x;
    }
    RowMajor<float> queryFeatures(RowMajor<float> x) const override { return layerNormalised(std::move(x), spec_); }
    ReBased spec_;
};

class PolySketchRows : public FeatureRows<float> {
public:
    PolySketchRows(const PolySketch& spec, const FloatHead& head)
        : FeatureRows(head, sketched(keysOf(head), spec)), spec_(spec) {}
    void fill(std::span<const Index> rows, Index keys, MatrixSpan<double> out) const override {
        FeatureRows::fill(rows, keys, out);
        eigen(out) = eigen(out).cwiseAbs2();
    }
    double denominator(double sum) const override { return 1.0 + sum; }

private:
    static RowMajor<float> sketched(const RowMajor<float>& x, const PolySketch& spec) {
        const float factor = 1.0F / static_cast<float>(spec.s1->cols());
        return factor * (x * eigen(*spec.s1).cast<float>()).cwiseProduct(x * eigen(*spec.s2).cast<float>());
    }
    RowMajor<float> queryFeatures(RowMajor<float> x) const override { return sketched(x, spec_); }
    PolySketch spec_;
};

/// sigma exp(s - m) inside the window, m its largest logit there; identity Hedgehog features before it.
class LolcatsRows : public RowKernel {
public:
    LolcatsRows(const Lolcats& spec, const FloatHead& head) : spec_(spec), head_(head), features_(Hedgehog{}, head) {}
    RowForm form() const override { return RowForm::Kernel; }
    void fill(std::span<const Index> rows, Index keys, MatrixSpan<double> out) const override {
        features_.fill(rows, keys, out);
        RowMajor<double> logits(out.rows(), keys);
        fillLogits(head_, rows, keys, {logits.data(), logits.rows(), keys});
        for (std::size_t n = 0; n < rows.size(); ++n)
            fillWindow(rows[n], logits.row(static_cast<Index>(n)).data(), keys, out.row(static_cast<Index>(n)));
    }

private:
    void fillWindow(Index i, const double* logits, Index keys, double* row) const {
        const auto near = [&](Index j) { return i - j < spec_.window && head_.mask.visible(i, j); };
        const Index first = std::max<Index>(0, i - spec_.window + 1);
        double largest = -std::numeric_limits<double>::infinity();
        for (Index j = first; j < keys; ++j)
            if (near(j)) largest = std::max(largest, logits[j]);
        for (Index j = first; j < keys; ++j)
            if (near(j)) row[j] = spec_.sigma * std::exp(logits[j] - largest);
    }
    Lolcats spec_;
    const FloatHead& head_;
    HedgehogRows<float> features_;
};

}  // namespace

std::unique_ptr<RowKernel> makeElu(const FloatHead& head) { return std::make_unique<EluRows>(head); }

std::unique_ptr<RowKernel> makeCosFormer(const CosFormer& spec, const FloatHead& head) {
    return std::make_unique<CosFormerRows>(spec, head);
}

std::unique_ptr<RowKernel> makeRfa(const Rfa& spec, const FloatHead& head) {
    return std::make_unique<RfaRows>(spec, head);
}

std::unique_ptr<RowKernel> makeHedgehog(const Hedgehog& spec, const FloatHead& head) {
    if (spec.variant == Hedgehog::Variant::Fla) return std::make_unique<HedgehogRows<double>>(spec, head);
    return std::make_unique<HedgehogRows<float>>(spec, head);
}

std::unique_ptr<RowKernel> makeReBased(const ReBased& spec, const FloatHead& head) {
    return std::make_unique<ReBasedRows>(spec, head);
}

std::unique_ptr<RowKernel> makePolySketch(const PolySketch& spec, const FloatHead& head) {
    return std::make_unique<PolySketchRows>(spec, head);
}

std::unique_ptr<RowKernel> makeLolcats(const Lolcats& spec, const FloatHead& head) {
    return std::make_unique<LolcatsRows>(spec, head);
}

}  // namespace dimscope::kernels::cpu
