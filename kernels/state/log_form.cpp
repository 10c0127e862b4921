// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include "kernels/attention_math.h"
#include "kernels/feature_matrices.h"
#include "kernels/state/feature_form.h"

// Kernels of exponential features, whose logarithms may be of any size: sections 1 (epsilon = 0), 2.1 and 3.

namespace dimscope::kernels::state {
namespace {

/// Logarithms x P + bias of the query, and x P + (a number per key) of the key.
template <class T>
class LogForm : public FeatureForm<T> {
public:
    LogForm(const Eigen::Ref<const RowMajor<double>>& projection, const Eigen::Ref<const Eigen::RowVectorXd>& bias)
        : projection_(projection.template cast<T>()), bias_(bias.template cast<T>()) {}
    Index features() const override { return projection_.cols(); }
    bool logarithmic() const override { return true; }
    RowMajor<T> queries(const Tokens<T>& tokens, Index from, Index count) const override {
        return (tokens.query.middleRows(from, count) * projection_).rowwise() + bias_;
    }
    RowMajor<T> keys(const Tokens<T>& tokens, Index from, Index count) const override {
        const RowMajor<T> x = tokens.key.middleRows(from, count);
        RowMajor<T> logs = x * projection_;
        for (Index j = 0; j < count; ++j) logs.row(j).array() += keyOffset(x.row(j), logs.row(j));
        return logs;
    }

protected:
    virtual T keyOffset(const Eigen::Ref<const Eigen::Matrix<T, 1, Eigen::Dynamic>>& key,
                        const Eigen::Ref<const Eigen::Matrix<T, 1, Eigen::Dynamic>>& logs) const = 0;

private:
    RowMajor<T> projection_;  // (head_dim, features)
    Eigen::Matrix<T, 1, Eigen::Dynamic> bias_;
};

template <class T>
using RowRef = Eigen::Ref<const Eigen::Matrix<T, 1, Eigen::Dynamic>>;

/// Random features of the exponential: the key's -|k'|^2 / 2 does not cancel, the query's does.
template <class T>
class ExponentialForm : public LogForm<T> {
public:
    ExponentialForm(const RowMajor<double>& projection, const Eigen::RowVectorXd& bias, double scale)
        : LogForm<T>(projection, bias), halfScale_(static_cast<T>(0.5 * scale)) {}

protected:
    T keyOffset(const RowRef<T>& key, const RowRef<T>&) const override { return -halfScale_ * key.squaredNorm(); }

private:
    T halfScale_;
};

/// Section 3: softmax over the features of a key; that of the query cancels.
template <class T>
class DiJiangForm : public LogForm<T> {
public:
    using LogForm<T>::LogForm;

protected:
    T keyOffset(const RowRef<T>&, const RowRef<T>& logs) const override {
        const T largest = logs.maxCoeff();
        return -(largest + std::log((logs.array() - largest).exp().sum()));
    }
};

RowMajor<double> cosines(const DiJiang& spec, double scale) {
    return std::sqrt(scale) * cpu::eigen(cosineRows(spec)).transpose();
}

template <class T>
FormPointer<T> unbiasedForm(const SpectraFormerUnbiased& spec, const Tokens<T>& sequence, double scale) {
    const bool calibrated = spec.statistic == SpectraFormerUnbiased::Statistic::Calibrated;
    const double phi = calibrated ? spec.phi : sequencePhi(sequence, scale);
    const RowMajor<double> rows = cpu::eigen(fastFoodRows(*spec.b, *spec.g, *spec.s, *spec.permutation));
    const auto d = static_cast<double>(rows.cols());
    const RowMajor<double> projection = std::sqrt(scale) * oprfSharpness(phi, d) * rows.transpose();
    const Eigen::RowVectorXd bias = 2.0 * oprfConstant(phi, d) * rows.rowwise().squaredNorm().transpose();
    return std::make_unique<ExponentialForm<T>>(projection, bias, scale);
}

}  // namespace

template <class T>
FormPointer<T> makeLogForm(const KernelSpec& spec, const Tokens<T>& sequence, double scale) {
    if (const auto* s = std::get_if<Performer>(&spec); s && !(s->epsilon > 0.0)) {
        const RowMajor<double> projection = cpu::eigen(*s->projection).transpose() * std::sqrt(scale);
        return std::make_unique<ExponentialForm<T>>(projection, Eigen::RowVectorXd::Zero(projection.cols()), scale);
    }
    if (const auto* s = std::get_if<SpectraFormerUnbiased>(&spec)) return unbiasedForm(*s, sequence, scale);
    if (const auto* s = std::get_if<DiJiang>(&spec)) {
        Eigen::RowVectorXd weights = Eigen::RowVectorXd::Zero(static_cast<Index>(s->t->size()));
        if (s->theta) weights = 2.0 * Eigen::Map<const Eigen::RowVectorXd>(s->theta->data(), weights.size());
        return std::make_unique<DiJiangForm<T>>(cosines(*s, scale), weights);
    }
    return nullptr;
}

template <class T>
FormPointer<T> makeFeatureForm(const KernelSpec& spec, const Tokens<T>& sequence, double scale) {
    if (auto form = makePlainForm(spec, sequence, scale)) return form;
    if (auto form = makeSecondOrderForm<T>(spec, sequence.key.cols(), scale)) return form;
    return makeLogForm(spec, sequence, scale);
}

template FormPointer<float> makeLogForm(const KernelSpec&, const Tokens<float>&, double);
template FormPointer<double> makeLogForm(const KernelSpec&, const Tokens<double>&, double);
template FormPointer<float> makeFeatureForm(const KernelSpec&, const Tokens<float>&, double);
template FormPointer<double> makeFeatureForm(const KernelSpec&, const Tokens<double>&, double);

}  // namespace dimscope::kernels::state
