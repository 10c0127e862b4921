// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/state/linear_zeros_form.h"

#include <algorithm>
#include <cmath>

namespace dimscope::kernels::state {
namespace {

template <class T>
RowMajor<T> unitRowsOf(RowMajor<T> x) {
    for (Index i = 0; i < x.rows(); ++i) x.row(i) /= std::max(x.row(i).norm(), T(1e-12));
    return x;
}

}  // namespace

template <class T>
std::vector<double> radialLogits(const LinearZeros& spec, const Tokens<T>& tokens, double scale, RadialState& state) {
    if (state.keySum.size() == 0) {
        state.keyCount = std::exp(std::clamp(spec.tau, -50.0, 30.0));
        state.keySum = Eigen::RowVectorXd::Zero(tokens.key.cols());
        if (spec.mu)
            state.keySum = state.keyCount * Eigen::Map<const Eigen::RowVectorXd>(spec.mu->data(), tokens.key.cols());
    }
    std::vector<double> logits;
    for (Index j = 0; j < tokens.count(); ++j) {
        const Eigen::RowVectorXd key = tokens.key.row(j).template cast<double>();
        if (tokens.valid[static_cast<std::size_t>(j)] != 0) {
            state.keySum += key;
            state.keyCount += 1.0;
        }
        logits.push_back(-scale * key.dot(state.keySum) / state.keyCount);
    }
    return logits;
}

template <class T>
LinearZerosForm<T>::LinearZerosForm(const LinearZeros& spec, const Tokens<T>& tokens,
                                    std::span<const std::uint8_t> usable, Index delay, Index absorbed, Index firstQuery,
                                    RadialState& state)
    : dim_(tokens.key.cols()), factors_(static_cast<std::size_t>(tokens.count())) {
    std::optional<double> largest = state.largest;
    for (Index j = absorbed; j < tokens.count(); ++j)
        if (usable[static_cast<std::size_t>(j)] != 0)
            largest = std::max(largest.value_or(tokens.radial[static_cast<std::size_t>(j)]),
                               tokens.radial[static_cast<std::size_t>(j)]);
    if (!largest) return;  // no key yet: no row to read
    largest_ = *largest;
    if (state.largest) rescale_ = std::exp(*state.largest - largest_);
    state.exponentials *= rescale_;
    state.largest = largest;
    Index next = absorbed;
    for (Index i = firstQuery; i < tokens.count(); ++i) {
        for (; next <= i - delay; ++next) {
            const auto n = static_cast<std::size_t>(next);
            if (usable[n] == 0) continue;
            state.count += 1.0;
            state.sum += tokens.radial[n];
            state.exponentials += std::exp(tokens.radial[n] - largest_);
        }
        if (state.count == 0.0) continue;
        const double mean = state.sum / state.count, linear = (spec.sigma1 - spec.sigmah) / state.count;
        factors_[static_cast<std::size_t>(i)] = {(spec.sigma0 - spec.sigmah) / state.count - linear * mean, linear,
                                                 spec.sigmah / state.exponentials};
    }
}

template <class T>
RowMajor<T> LinearZerosForm<T>::keys(const Tokens<T>& tokens, Index from, Index count) const {
    const RowMajor<T> unit = unitRowsOf<T>(tokens.key.middleRows(from, count));
    RowMajor<T> out(count, features());
    for (Index j = 0; j < count; ++j) {
        const double logit = tokens.radial[static_cast<std::size_t>(from + j)];
        out.row(j) << unit.row(j), static_cast<T>(logit) * unit.row(j),
            static_cast<T>(std::exp(logit - largest_)) * unit.row(j);
    }
    return out;
}

template <class T>
RowMajor<T> LinearZerosForm<T>::queries(const Tokens<T>& tokens, Index from, Index count) const {
    const RowMajor<T> unit = unitRowsOf<T>(tokens.query.middleRows(from, count));
    RowMajor<T> out(count, features());
    for (Index i = 0; i < count; ++i) {
        const Factors& factors = factors_[static_cast<std::size_t>(from + i)];
        out.row(i) << static_cast<T>(factors.constant) * unit.row(i), static_cast<T>(factors.linear) * unit.row(i),
            static_cast<T>(factors.exponential) * unit.row(i);
    }
    return out;
}

template std::vector<double> radialLogits(const LinearZeros&, const Tokens<float>&, double, RadialState&);
template std::vector<double> radialLogits(const LinearZeros&, const Tokens<double>&, double, RadialState&);
template class LinearZerosForm<float>;
template class LinearZerosForm<double>;

}  // namespace dimscope::kernels::state
