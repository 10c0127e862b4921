// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "kernels/attention_math.h"
#include "kernels/feature_matrices.h"
#include "kernels/state/feature_form.h"

// Kernels of explicit feature maps: sections 1 (with epsilon), 2.2 and 9.

namespace dimscope::kernels::state {
namespace {

/// A feature map that treats queries and keys alike, row by row.
template <class T>
class MapForm : public FeatureForm<T> {
public:
    RowMajor<T> keys(const Tokens<T>& tokens, Index from, Index count) const override {
        return map(tokens.key.middleRows(from, count), tokens.first + from);
    }
    RowMajor<T> queries(const Tokens<T>& tokens, Index from, Index count) const override {
        return map(tokens.query.middleRows(from, count), tokens.first + from);
    }

protected:
    /// x: rows of consecutive positions, the first at `position`.
    virtual RowMajor<T> map(const RowMajor<T>& x, Index position) const = 0;
};

template <class T>
class UniformForm : public MapForm<T> {
public:
    Index features() const override { return 1; }

protected:
    RowMajor<T> map(const RowMajor<T>& x, Index) const override { return RowMajor<T>::Ones(x.rows(), 1); }
};

template <class T>
class EluForm : public MapForm<T> {
public:
    explicit EluForm(Index dim) : dim_(dim) {}
    Index features() const override { return dim_; }

protected:
    RowMajor<T> map(const RowMajor<T>& x, Index) const override {
        return x.unaryExpr([](T v) { return v > T(0) ? v + T(1) : std::exp(v); });
    }

private:
    Index dim_;
};

/// relu(x) times the cosine and the sine of pi i / (2 M).
template <class T>
class CosFormerForm : public MapForm<T> {
public:
    CosFormerForm(const CosFormer& spec, Index dim) : spec_(spec), dim_(dim) {}
    Index features() const override { return 2 * dim_; }
    T denominator(T sum) const override { return std::max(sum, T(1e-6)); }

protected:
    RowMajor<T> map(const RowMajor<T>& x, Index position) const override {
        RowMajor<T> out(x.rows(), 2 * dim_);
        for (Index i = 0; i < x.rows(); ++i) {
            const double angle = std::numbers::pi * static_cast<double>(position + i) / (2.0 * spec_.length);
            out.row(i).head(dim_) = x.row(i).cwiseMax(T(0)) * static_cast<T>(std::cos(angle));
            out.row(i).tail(dim_) = x.row(i).cwiseMax(T(0)) * static_cast<T>(std::sin(angle));
        }
        return out;
    }

private:
    CosFormer spec_;
    Index dim_;
};

template <class T>
class RfaForm : public MapForm<T> {
public:
    explicit RfaForm(const Rfa& spec)
        : floor_(static_cast<T>(spec.floor)),
          projection_(cpu::eigen(*spec.projection).transpose().template cast<T>()) {}
    Index features() const override { return 2 * projection_.cols(); }
    T denominator(T sum) const override { return floor_ > T(0) ? std::max(sum, floor_) : sum; }

protected:
    RowMajor<T> map(const RowMajor<T>& x, Index) const override {
        RowMajor<T> unit = x;
        for (Index i = 0; i < x.rows(); ++i) unit.row(i) /= x.row(i).norm() + T(1e-3);
        const RowMajor<T> angles = unit * projection_;
        RowMajor<T> out(x.rows(), features());
        out << T(0.1) * angles.array().sin().matrix(), T(0.1) * angles.array().cos().matrix();
        return out;
    }

private:
    T floor_;
    RowMajor<T> projection_;  // (head_dim, rows of W)
};

template <class T>
void toSoftmax(Eigen::Ref<RowMajor<T>, 0, Eigen::OuterStride<>> x) {
    const Eigen::Matrix<T, Eigen::Dynamic, 1> largest = x.rowwise().maxCoeff();
    x = (x.colwise() - largest).array().exp();
    const Eigen::Matrix<T, Eigen::Dynamic, 1> sums = x.rowwise().sum();
    x.array().colwise() /= sums.array();
}

template <class T>
class HedgehogForm : public FeatureForm<T> {
public:
    HedgehogForm(const Hedgehog& spec, Index dim) : spec_(spec), dim_(dim) {}
    Index features() const override { return 2 * dim_; }
    RowMajor<T> keys(const Tokens<T>& tokens, Index from, Index count) const override {
        return map(tokens.key.middleRows(from, count), spec_.key.get());
    }
    RowMajor<T> queries(const Tokens<T>& tokens, Index from, Index count) const override {
        return map(tokens.query.middleRows(from, count), spec_.query.get());
    }

private:
    RowMajor<T> map(RowMajor<T> x, const Matrix<double>* w) const {
        if (w != nullptr) x = (x * cpu::eigen(*w).transpose().template cast<T>()).eval();
        RowMajor<T> out(x.rows(), 2 * dim_);
        if (spec_.variant == Hedgehog::Variant::Fla) {
            out << T(2) * x, T(-2) * x;
            toSoftmax<T>(out);
            return out;
        }
        out << x, -x;
        toSoftmax<T>(out.leftCols(dim_));
        toSoftmax<T>(out.rightCols(dim_));
        return out.cwiseMax(T(1e-12));
    }
    Hedgehog spec_;
    Index dim_;
};

/// Section 2.2.
template <class T>
class SpectraFormerForm : public FeatureForm<T> {
public:
    SpectraFormerForm(const SpectraFormer& spec, const Tokens<T>& sequence, double scale) : spec_(spec), scale_(scale) {
        const double upstream = spec.scaling == SpectraFormer::Scaling::Upstream ? std::sqrt(scale) : 1.0;
        const RowMajor<double> rows = cpu::eigen(fastFoodRows(*spec.b, *spec.g, *spec.s, *spec.permutation));
        projection_ = (std::sqrt(scale) * upstream * rows.transpose()).template cast<T>();
        if (spec.statistic == SpectraFormer::Statistic::Calibrated) phi_ = spec.phi;
        if (spec.statistic == SpectraFormer::Statistic::Sequence) phi_ = sequencePhi(sequence, scale);
    }
    Index features() const override { return projection_.cols() + 1; }
    RowMajor<T> keys(const Tokens<T>& tokens, Index from, Index count) const override {
        return map(tokens.key.middleRows(from, count), tokens, from);
    }
    RowMajor<T> queries(const Tokens<T>& tokens, Index from, Index count) const override {
        return map(tokens.query.middleRows(from, count), tokens, from);
    }

private:
    RowMajor<T> map(const RowMajor<T>& x, const Tokens<T>& tokens, Index from) const {
        RowMajor<T> out(x.rows(), features());
        out.leftCols(projection_.cols()) = x * projection_;
        out.rightCols(1).setOnes();
        for (Index i = 0; i < x.rows(); ++i) {
            const T largest = out.row(i).maxCoeff();
            const T sharpness = sharpnessAt(tokens, from + i);
            out.row(i) = ((out.row(i).array() - largest) * sharpness).exp() + static_cast<T>(spec_.epsilon);
        }
        return out;
    }
    T sharpnessAt(const Tokens<T>& tokens, Index row) const {
        const bool position = spec_.statistic == SpectraFormer::Statistic::Position;
        const double phi =
            position ? scale_ * static_cast<double>((tokens.query.row(row) + tokens.key.row(row)).squaredNorm()) : phi_;
        return static_cast<T>(oprfSharpness(phi, static_cast<double>(tokens.key.cols())));
    }
    SpectraFormer spec_;
    double scale_, phi_ = 0.0;
    RowMajor<T> projection_;  // (head_dim, head_dim)
};

/// Section 1 with epsilon > 0: the query's own maximum, one key maximum over the valid tokens.
template <class T>
class FlooredPerformerForm : public FeatureForm<T> {
public:
    FlooredPerformerForm(const Performer& spec, const Tokens<T>& sequence, double scale) : spec_(spec), scale_(scale) {
        projection_ = (cpu::eigen(*spec.projection).transpose() * std::sqrt(scale)).template cast<T>();
        const RowMajor<T> logs = sequence.key * projection_;
        for (Index j = 0; j < sequence.count(); ++j)
            if (sequence.valid[static_cast<std::size_t>(j)] != 0)
                keyMaximum_ = std::max(keyMaximum_, maximum(logs.row(j), sequence.key.row(j)));
    }
    Index features() const override { return projection_.cols(); }
    RowMajor<T> keys(const Tokens<T>& tokens, Index from, Index count) const override {
        const RowMajor<T> x = tokens.key.middleRows(from, count);
        RowMajor<T> logs = x * projection_;
        for (Index j = 0; j < count; ++j) toFeatures(logs, j, x, keyMaximum_);
        return logs;
    }
    RowMajor<T> queries(const Tokens<T>& tokens, Index from, Index count) const override {
        const RowMajor<T> x = tokens.query.middleRows(from, count);
        RowMajor<T> logs = x * projection_;
        for (Index i = 0; i < count; ++i) toFeatures(logs, i, x, maximum(logs.row(i), x.row(i)));
        return logs;
    }

private:
    template <class Row>
    T halfNorm(const Row& x) const {
        return static_cast<T>(0.5 * scale_) * x.squaredNorm();
    }
    template <class Logs, class Row>
    T maximum(const Logs& logs, const Row& x) const {
        const bool projection = spec_.shift == Performer::Shift::Projection;
        return projection ? logs.maxCoeff() : logs.maxCoeff() - halfNorm(x);
    }
    void toFeatures(RowMajor<T>& logs, Index row, const RowMajor<T>& x, T shift) const {
        logs.row(row) = (logs.row(row).array() - (halfNorm(x.row(row)) + shift)).exp() + static_cast<T>(spec_.epsilon);
    }
    Performer spec_;
    double scale_;
    T keyMaximum_ = -std::numeric_limits<T>::infinity();
    RowMajor<T> projection_;  // (head_dim, features)
};

/// scale gamma^(i - j) q.k without a denominator.
template <class T>
class RetNetForm : public FeatureForm<T> {
public:
    RetNetForm(const RetNet& spec, Index dim, double scale) : spec_(spec), dim_(dim), scale_(scale) {}
    Index features() const override { return dim_; }
    RowMajor<T> keys(const Tokens<T>& tokens, Index from, Index count) const override {
        return tokens.key.middleRows(from, count);
    }
    RowMajor<T> queries(const Tokens<T>& tokens, Index from, Index count) const override {
        return static_cast<T>(spec_.scale * scale_) * tokens.query.middleRows(from, count);
    }
    double decay() const override { return spec_.decay; }
    bool normalised() const override { return false; }

private:
    RetNet spec_;
    Index dim_;
    double scale_;
};

}  // namespace

template <class T>
double sequencePhi(const Tokens<T>& sequence, double scale) {
    Eigen::RowVectorXd querySum = Eigen::RowVectorXd::Zero(sequence.key.cols()), keySum = querySum;
    double squares = 0.0, count = 0.0;
    for (Index i = 0; i < sequence.count(); ++i) {
        if (sequence.valid[static_cast<std::size_t>(i)] == 0) continue;
        const Eigen::RowVectorXd q = sequence.query.row(i).template cast<double>();
        const Eigen::RowVectorXd k = sequence.key.row(i).template cast<double>();
        squares += q.squaredNorm() + k.squaredNorm();
        querySum += q;
        keySum += k;
        count += 1.0;
    }
    return scale * (squares / count + 2.0 * querySum.dot(keySum) / (count * count));
}

template <class T>
FormPointer<T> makePlainForm(const KernelSpec& spec, const Tokens<T>& sequence, double scale) {
    const Index dim = sequence.key.cols();
    if (std::holds_alternative<Uniform>(spec) || std::holds_alternative<Zero>(spec) ||
        std::holds_alternative<FirstValue>(spec))
        return std::make_unique<UniformForm<T>>();
    if (std::holds_alternative<Elu>(spec)) return std::make_unique<EluForm<T>>(dim);
    if (const auto* s = std::get_if<CosFormer>(&spec)) return std::make_unique<CosFormerForm<T>>(*s, dim);
    if (const auto* s = std::get_if<Rfa>(&spec)) return std::make_unique<RfaForm<T>>(*s);
    if (const auto* s = std::get_if<Hedgehog>(&spec)) return std::make_unique<HedgehogForm<T>>(*s, dim);
    if (std::holds_alternative<Lolcats>(spec)) return std::make_unique<HedgehogForm<T>>(Hedgehog{}, dim);
    if (const auto* s = std::get_if<SpectraFormer>(&spec))
        return std::make_unique<SpectraFormerForm<T>>(*s, sequence, scale);
    if (const auto* s = std::get_if<Performer>(&spec); s && s->epsilon > 0.0)
        return std::make_unique<FlooredPerformerForm<T>>(*s, sequence, scale);
    if (const auto* s = std::get_if<RetNet>(&spec)) return std::make_unique<RetNetForm<T>>(*s, dim, scale);
    return nullptr;
}

template double sequencePhi(const Tokens<float>&, double);
template double sequencePhi(const Tokens<double>&, double);
template FormPointer<float> makePlainForm(const KernelSpec&, const Tokens<float>&, double);
template FormPointer<double> makePlainForm(const KernelSpec&, const Tokens<double>&, double);

}  // namespace dimscope::kernels::state
