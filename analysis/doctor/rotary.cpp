// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/doctor/rotary.h"

#include <cmath>
#include <complex>

namespace dimscope::analysis {
namespace {

struct DimensionPair {
    Index first = 0, second = 0;
};

DimensionPair pairOf(const RotaryForm& form, Index pair) {
    return form.layout == "interleaved" ? DimensionPair{2 * pair, 2 * pair + 1}
                                        : DimensionPair{pair, pair + form.dim / 2};
}

double angleRad(const RotaryForm& form, Index pair, Index position) {
    const double exponent = -2.0 * static_cast<double>(pair) / static_cast<double>(form.dim);
    return static_cast<double>(position) * std::pow(form.theta, exponent);
}

}  // namespace

RotaryForm statedForm(const LayerInfo& layer, double theta) {
    return {layer.ropeTheta > 0.0 ? layer.ropeTheta : theta, layer.ropeLayout,
            layer.rotaryDim > 0 ? layer.rotaryDim : layer.headDim / 2 * 2};
}

kernels::Matrix<double> rotated(const kernels::Tensor& tensor, const RotaryForm& form, double direction) {
    return std::visit(
        [&](const auto& m) {
            kernels::Matrix<double> out(m.rows(), m.cols());
            for (Index i = 0; i < m.rows(); ++i) {
                for (Index c = 0; c < m.cols(); ++c) out(i, c) = static_cast<double>(m(i, c));
                for (Index p = 0; p < form.dim / 2; ++p) {
                    const auto [a, b] = pairOf(form, p);
                    const double angle = direction * angleRad(form, p, i);
                    const double x = out(i, a), y = out(i, b);
                    out(i, a) = x * std::cos(angle) - y * std::sin(angle);
                    out(i, b) = x * std::sin(angle) + y * std::cos(angle);
                }
            }
            return out;
        },
        tensor);
}

double fastPairDrift(const kernels::Tensor& keys, const RotaryForm& form, double direction,
                     const std::vector<Index>& rows) {
    const auto [a, b] = pairOf(form, 0);
    std::complex<double> sum;
    double lengths = 0.0;
    std::visit(
        [&, a = a, b = b](const auto& m) {
            for (const Index i : rows) {
                const std::complex<double> z(static_cast<double>(m(i, a)), static_cast<double>(m(i, b)));
                sum += z * std::polar(1.0, direction * angleRad(form, 0, i));
                lengths += std::abs(z);
            }
        },
        keys);
    return lengths > 0.0 ? std::abs(sum) / lengths : kNaN;
}

}  // namespace dimscope::analysis
