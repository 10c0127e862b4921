// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cmath>

namespace dimscope::kernels {

// Scalar formulas that every backend uses, written once; constexpr, so that device code may call them too. Section
// numbers: resources/docs/kernels.md.

/// Logit after a soft cap (Gemma 2): cap * tanh(s / cap); 0 means none.
template <class T>
constexpr T softCapped(T logit, T cap) {
    return cap > T(0) ? cap * std::tanh(logit / cap) : logit;
}

/// 1 + s + s^2/2 without cancellation: (1 + s)^2/2 + 1/2 >= 1/2. Section 4.
template <class T>
constexpr T taylorQuadratic(T s) {
    return T(0.5) * (T(1) + s) * (T(1) + s) + T(0.5);
}

/// A <= 0 of optimal positive random features for the statistic phi >= 0 in dimension d (section 2.1):
/// rho = (sqrt((2 phi + d)^2 + 8 phi d) - (2 phi + d)) / (4 phi), A = (1 - 1/rho)/8; rho without cancellation.
template <class T>
constexpr T oprfConstant(T phi, T d) {
    if (!(phi > T(0))) return T(0);
    const T t = T(2) * phi + d;
    const T rho = T(2) * d / (std::sqrt(t * t + T(8) * phi * d) + t);
    return (T(1) - T(1) / rho) / T(8);
}

/// B = sqrt(1 - 4A).
template <class T>
constexpr T oprfSharpness(T phi, T d) {
    return std::sqrt(T(1) - T(4) * oprfConstant(phi, d));
}

/// Entry (row, col), col <= row, of a packed row-major lower triangle.
constexpr int packedIndex(int row, int col) { return row * (row + 1) / 2 + col; }
/// Length of a packed lower triangle with n rows.
constexpr int packedLength(int n) { return n * (n + 1) / 2; }

/// Orthonormal DCT-II matrix entry C[k][n] in dimension d (section 3).
inline double dctEntry(int k, int n, int d) {
    const double norm = std::sqrt((k == 0 ? 1.0 : 2.0) / d);
    return norm * std::cos(3.14159265358979323846 * (2 * n + 1) * k / (2.0 * d));
}

}  // namespace dimscope::kernels
