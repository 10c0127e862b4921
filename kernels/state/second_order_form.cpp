// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include "kernels/attention_math.h"
#include "kernels/state/feature_form.h"

// Kernels that are quadratic in a vector of the key: packed symmetric states (section 5.2).

namespace dimscope::kernels::state {
namespace {

/// kappa = a + sum_r b_r x_r y_r + sum_rt C_rt x_r x_t y_r y_t of vectors x of the query and y of the key.
struct SecondOrder {
    double constant = 0.0;
    Eigen::VectorXd linear;     // (dim) b
    Eigen::MatrixXd quadratic;  // (dim, dim) C, symmetric
};

/// Features 1, y_r, and y_r y_t for t <= r, packed row by row; those that a kernel does not have are left out.
template <class T>
class SecondOrderForm : public FeatureForm<T> {
public:
    using Map = RowMajor<T> (*)(const KernelSpec& spec, RowMajor<T> x);

    SecondOrderForm(KernelSpec spec, Map map, const SecondOrder& coefficients)
        : spec_(std::move(spec)), map_(map), lower_(coefficients.constant != 0.0 || !coefficients.linear.isZero(0.0)) {
        const Index d = coefficients.quadratic.rows();
        for (Index r = 0; r < d; ++r)
            for (Index t = 0; t <= r; ++t)
                packed_.push_back(static_cast<T>((r == t ? 1.0 : 2.0) * coefficients.quadratic(r, t)));
        constant_ = static_cast<T>(coefficients.constant);
        linear_ = coefficients.linear.template cast<T>();
        dim_ = d;
    }
    Index features() const override { return (lower_ ? 1 + dim_ : 0) + static_cast<Index>(packed_.size()); }
    RowMajor<T> keys(const Tokens<T>& tokens, Index from, Index count) const override {
        return monomials(map_(spec_, tokens.key.middleRows(from, count)));
    }
    RowMajor<T> queries(const Tokens<T>& tokens, Index from, Index count) const override {
        RowMajor<T> phi = monomials(map_(spec_, tokens.query.middleRows(from, count)));
        Index column = 0;
        if (lower_) {
            phi.col(0) *= constant_;
            for (Index r = 0; r < dim_; ++r) phi.col(1 + r) *= linear_(r);
            column = 1 + dim_;
        }
        for (const T factor : packed_) phi.col(column++) *= factor;
        return phi;
    }
    T denominator(T sum) const override { return std::holds_alternative<PolySketch>(spec_) ? T(1) + sum : sum; }

private:
    RowMajor<T> monomials(const RowMajor<T>& x) const {
        RowMajor<T> out(x.rows(), features());
        Index column = 0;
        if (lower_) {
            out.col(0).setOnes();
            out.middleCols(1, dim_) = x;
            column = 1 + dim_;
        }
        for (Index r = 0; r < dim_; ++r) {
            out.middleCols(column, r + 1) = x.leftCols(r + 1).array().colwise() * x.col(r).array();
            column += r + 1;
        }
        return out;
    }

    KernelSpec spec_;
    Map map_;
    bool lower_;  // has the constant and the linear features
    Index dim_ = 0;
    T constant_ = 0;
    Eigen::Matrix<T, Eigen::Dynamic, 1> linear_;
    std::vector<T> packed_;
};

template <class T>
RowMajor<T> asItIs(const KernelSpec&, RowMajor<T> x) {
    return x;
}

/// x / max(|x|, 1e-12).
template <class T>
RowMajor<T> ofUnitLength(const KernelSpec&, RowMajor<T> x) {
    for (Index i = 0; i < x.rows(); ++i) x.row(i) /= std::max(x.row(i).norm(), T(1e-12));
    return x;
}

template <class T>
RowMajor<T> layerNormed(const KernelSpec& spec, RowMajor<T> x) {
    const auto& rebased = std::get<ReBased>(spec);
    for (Index i = 0; i < x.rows(); ++i) {
        x.row(i).array() -= x.row(i).mean();
        x.row(i) /= std::sqrt(x.row(i).squaredNorm() / static_cast<T>(x.cols()) + T(1e-5));
        for (Index r = 0; r < x.cols(); ++r) {
            const auto n = static_cast<std::size_t>(r);
            if (rebased.gamma) x(i, r) *= static_cast<T>((*rebased.gamma)[n]);
            if (rebased.beta) x(i, r) += static_cast<T>((*rebased.beta)[n]);
        }
    }
    return x;
}

/// (x S1) * (x S2) / r elementwise.
template <class T>
RowMajor<T> sketchedRows(const KernelSpec& spec, RowMajor<T> x) {
    const auto& sketch = std::get<PolySketch>(spec);
    const RowMajor<T> first = x * cpu::eigen(*sketch.s1).template cast<T>();
    const RowMajor<T> second = x * cpu::eigen(*sketch.s2).template cast<T>();
    return first.cwiseProduct(second) / static_cast<T>(sketch.s1->cols());
}

/// a + b s + c s^2 of s = scale x.y.
SecondOrder ofLogit(Index dim, double scale, double a, double b, double c) {
    return {a, Eigen::VectorXd::Constant(dim, b * scale), Eigen::MatrixXd::Constant(dim, dim, c * scale * scale)};
}

/// Section 5.1: a = eps + M_00, b_r = 2 M_0g(r), C_rt = M_g(r)g(t), M = L L^T.
SecondOrder ofGroups(const Oal& spec, double scale) {
    const auto d = static_cast<Index>(spec.label.size());
    Eigen::MatrixXd factor = Eigen::MatrixXd::Zero(spec.groups + 1, spec.groups + 1);
    for (int r = 0; r <= spec.groups; ++r)
        for (int c = 0; c <= r; ++c) factor(r, c) = spec.factor[static_cast<std::size_t>(packedIndex(r, c))];
    const Eigen::MatrixXd m = factor * factor.transpose();
    SecondOrder out{spec.epsilon + m(0, 0), Eigen::VectorXd(d), Eigen::MatrixXd(d, d)};
    const auto row = [&](Index r) { return spec.label[static_cast<std::size_t>(r)] + 1; };
    for (Index r = 0; r < d; ++r) {
        out.linear(r) = 2.0 * scale * m(0, row(r));
        for (Index t = 0; t < d; ++t) out.quadratic(r, t) = scale * scale * m(row(r), row(t));
    }
    return out;
}

}  // namespace

template <class T>
FormPointer<T> makeSecondOrderForm(const KernelSpec& spec, Index headDim, double scale) {
    const auto form = [&](typename SecondOrderForm<T>::Map map, const SecondOrder& coefficients) {
        return std::make_unique<SecondOrderForm<T>>(spec, map, coefficients);
    };
    if (std::holds_alternative<Taylor>(spec) || std::holds_alternative<Based>(spec))
        return form(asItIs<T>, ofLogit(headDim, scale, 1.0, 1.0, 0.5));
    if (const auto* shift = std::get_if<TaylorShift>(&spec))
        return form(ofUnitLength<T>, ofLogit(headDim, shift->tau, 1.0, 1.0, 0.5));
    if (const auto* global = std::get_if<GlobalQuadratic>(&spec))
        return form(asItIs<T>, ofGroups(asOal(*global, headDim), scale));
    if (const auto* oal = std::get_if<Oal>(&spec)) return form(asItIs<T>, ofGroups(*oal, scale));
    if (std::holds_alternative<ReBased>(spec))
        return form(layerNormed<T>, ofLogit(headDim, 1.0 / std::sqrt(static_cast<double>(headDim)), 0.0, 0.0, 1.0));
    if (const auto* power = std::get_if<Power>(&spec); power && power->exponent == 2)
        return form(asItIs<T>, ofLogit(headDim, scale, 0.0, 0.0, 1.0));
    if (const auto* sketch = std::get_if<PolySketch>(&spec))
        return form(sketchedRows<T>, ofLogit(sketch->s1->cols(), 1.0, 0.0, 0.0, 1.0));
    return nullptr;
}

template FormPointer<float> makeSecondOrderForm(const KernelSpec&, Index, double);
template FormPointer<double> makeSecondOrderForm(const KernelSpec&, Index, double);

}  // namespace dimscope::kernels::state
