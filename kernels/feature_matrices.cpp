// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/feature_matrices.h"

#include <bit>
#include <cmath>
#include <numbers>

namespace dimscope::kernels {
namespace {

/// Rows of m replaced by their Walsh-Hadamard transform: m = H m.
void transformRows(Matrix<double>& m) {
    for (Index half = 1; half < m.rows(); half *= 2)
        for (Index start = 0; start < m.rows(); start += 2 * half)
            for (Index r = start; r < start + half; ++r)
                for (Index c = 0; c < m.cols(); ++c) {
                    const double a = m(r, c), b = m(r + half, c);
                    m(r, c) = a + b;
                    m(r + half, c) = a - b;
                }
}

}  // namespace

Matrix<double> fastFoodRows(const std::vector<double>& b, const std::vector<double>& g, const std::vector<double>& s,
                            const std::vector<int>& permutation) {
    const auto d = static_cast<Index>(b.size());
    Matrix<double> rows(d, d);
    for (Index r = 0; r < d; ++r) {
        const auto n = static_cast<std::size_t>(r);
        for (Index c = 0; c < d; ++c) {
            const bool negative = std::popcount(static_cast<std::uint64_t>(permutation[n] & c)) % 2 == 1;
            rows(r, c) = (negative ? -g[n] : g[n]) * b[static_cast<std::size_t>(c)];
        }
    }
    transformRows(rows);
    for (Index r = 0; r < d; ++r)
        for (Index c = 0; c < d; ++c) rows(r, c) *= s[static_cast<std::size_t>(r)] / std::sqrt(static_cast<double>(d));
    return rows;
}

Matrix<double> cosineRows(const DiJiang& spec) {
    const auto d = static_cast<Index>(spec.t->size());
    std::vector<double> cosines;  // of multiples of pi / 2d: the transform needs no others
    for (Index m = 0; m < 4 * d; ++m)
        cosines.push_back(std::cos(std::numbers::pi * static_cast<double>(m) / static_cast<double>(2 * d)));
    const auto entry = [&](Index k, Index n) {
        return std::sqrt((k == 0 ? 1.0 : 2.0) / static_cast<double>(d)) *
               cosines[static_cast<std::size_t>((2 * n + 1) * k % (4 * d))];
    };
    const bool inverse = spec.orientation == DiJiang::Orientation::Inverse;
    Matrix<double> rows(d, d);
    for (Index n = 0; n < d; ++n)
        for (Index k = 0; k < d; ++k)
            rows(n, k) = (*spec.t)[static_cast<std::size_t>(n)] * (inverse ? entry(k, n) : entry(n, k));
    return rows;
}

}  // namespace dimscope::kernels
