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

/// Radians per position.
double stepRad(const RotaryForm& form, Index pair) {
    return std::pow(form.theta, -2.0 * static_cast<double>(pair) / static_cast<double>(form.dim));
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
            std::vector<double> steps;
            for (Index p = 0; p < form.dim / 2; ++p) steps.push_back(direction * stepRad(form, p));
            for (Index i = 0; i < m.rows(); ++i) {
                for (Index c = 0; c < m.cols(); ++c) out(i, c) = static_cast<double>(m(i, c));
                for (Index p = 0; p < form.dim / 2; ++p) {
                    const auto [a, b] = pairOf(form, p);
                    const double angle = static_cast<double>(i) * steps[static_cast<std::size_t>(p)];
                    const double cosine = std::cos(angle), sine = std::sin(angle);
                    const double x = out(i, a), y = out(i, b);
                    out(i, a) = x * cosine - y * sine;
                    out(i, b) = x * sine + y * cosine;
                }
            }
            return out;
        },
        tensor);
}

double fastPairDrift(const kernels::Tensor& keys, const RotaryForm& form, double direction,
                     const std::vector<Index>& rows) {
    const auto [a, b] = pairOf(form, 0);
    const double step = direction * stepRad(form, 0);
    std::complex<double> sum;
    double lengths = 0.0;
    std::visit(
        [&, a = a, b = b](const auto& m) {
            for (const Index i : rows) {
                const std::complex<double> z(static_cast<double>(m(i, a)), static_cast<double>(m(i, b)));
                sum += z * std::polar(1.0, static_cast<double>(i) * step);
                lengths += std::abs(z);
            }
        },
        keys);
    return lengths > 0.0 ? std::abs(sum) / lengths : kNaN;
}

}  // namespace dimscope::analysis
