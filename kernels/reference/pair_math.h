// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "kernels/reference/pairwise.h"

namespace dimscope::kernels::reference {

// Sums that several kernels of the oracle need.

inline double dot(const double* a, const double* b, Index n) { return std::inner_product(a, a + n, b, 0.0); }

inline double rowDot(const Matrix<double>& a, Index i, const Matrix<double>& b, Index j) {
    return dot(a.row(i), b.row(j), a.cols());
}

/// scale q_i.k_j, without a soft cap.
inline double logit(const DoubleHead& head, Index i, Index j) {
    return head.scale * rowDot(head.query, i, head.key, j);
}

inline double logSumExp(const std::vector<double>& x) {
    const double largest = *std::max_element(x.begin(), x.end());
    if (!std::isfinite(largest)) return largest;
    double sum = 0.0;
    for (const double v : x) sum += std::exp(v - largest);
    return largest + std::log(sum);
}

/// exp(x - logSumExp(x)).
inline std::vector<double> softmax(std::vector<double> x) {
    const double normaliser = logSumExp(x);
    for (double& v : x) v = std::exp(v - normaliser);
    return x;
}

/// Norm of a vector of n entries.
inline double norm(const double* x, Index n) { return std::sqrt(dot(x, x, n)); }

}  // namespace dimscope::kernels::reference
