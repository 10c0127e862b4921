// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/rotary.h"

#include <cmath>
#include <vector>

namespace dimscope::kernels {
namespace {

template <class T>
void turnRows(Matrix<T>& rows, const RotaryForm& form, double direction) {
    std::vector<double> steps;
    for (Index p = 0; p < form.dim / 2; ++p) steps.push_back(direction * rotaryStepRad(form, p));
    for (Index i = 0; i < rows.rows(); ++i)
        for (Index p = 0; p < form.dim / 2; ++p) {
            const auto [a, b] = rotaryPair(form, p);
            const double angle = static_cast<double>(i) * steps[static_cast<std::size_t>(p)];
            const double cosine = std::cos(angle), sine = std::sin(angle);
            const double x = static_cast<double>(rows(i, a)), y = static_cast<double>(rows(i, b));
            rows(i, a) = static_cast<T>(x * cosine - y * sine);
            rows(i, b) = static_cast<T>(x * sine + y * cosine);
        }
}

}  // namespace

DimensionPair rotaryPair(const RotaryForm& form, Index pair) {
    return form.layout == "interleaved" ? DimensionPair{2 * pair, 2 * pair + 1}
                                        : DimensionPair{pair, pair + form.dim / 2};
}

double rotaryStepRad(const RotaryForm& form, Index pair) {
    return std::pow(form.theta, -2.0 * static_cast<double>(pair) / static_cast<double>(form.dim));
}

void rotateRows(Matrix<float>& rows, const RotaryForm& form, double direction) { turnRows(rows, form, direction); }
void rotateRows(Matrix<double>& rows, const RotaryForm& form, double direction) { turnRows(rows, form, direction); }

}  // namespace dimscope::kernels
