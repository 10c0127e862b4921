// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/doctor/rotary.h"

#include <algorithm>
#include <complex>

namespace dimscope::analysis {

RotaryForm statedForm(const LayerInfo& layer, double theta) {
    RotaryForm form = layer.rotaryForm();
    if (!(form.theta > 0.0)) form.theta = theta;
    return form;
}

kernels::Matrix<double> rotated(const kernels::Tensor& tensor, const RotaryForm& form, double direction) {
    return std::visit(
        [&](const auto& m) {
            kernels::Matrix<double> out(m.rows(), m.cols());
            std::copy(m.values().begin(), m.values().end(), out.values().begin());
            kernels::rotateRows(out, form, direction);
            return out;
        },
        tensor);
}

double fastPairDrift(const kernels::Tensor& keys, const RotaryForm& form, double direction,
                     const std::vector<Index>& rows) {
    const auto [a, b] = kernels::rotaryPair(form, 0);
    const double step = direction * kernels::rotaryStepRad(form, 0);
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
