// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/random_features.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/random_stream.h"

namespace dimscope::kernels {
namespace {

/// Four sums at a time: one alone would wait for every addition, and orthogonal rows are mostly products.
double dot(const double* a, const double* b, Index n) {
    double sums[4] = {0.0, 0.0, 0.0, 0.0};
    Index i = 0;
    for (; i + 4 <= n; i += 4)
        for (Index k = 0; k < 4; ++k) sums[k] += a[i + k] * b[i + k];
    for (; i < n; ++i) sums[0] += a[i] * b[i];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

Matrix<double> normalMatrix(Index rows, Index cols, RandomStream& random) {
    Matrix<double> out(rows, cols);
    for (double& x : out.values()) x = random.normal();
    return out;
}

/// Rows of a square Gaussian matrix made orthonormal by Gram-Schmidt, twice for accuracy. Its R has a positive
/// diagonal, so the rows are Haar distributed: the sign-fixed QR.
Matrix<double> haarRows(Index dim, RandomStream& random) {
    Matrix<double> rows = normalMatrix(dim, dim, random);
    for (Index r = 0; r < dim; ++r) {
        double* row = rows.row(r);
        for (int pass = 0; pass < 2; ++pass)
            for (Index p = 0; p < r; ++p) {
                const double along = dot(row, rows.row(p), dim);
                for (Index c = 0; c < dim; ++c) row[c] -= along * rows(p, c);
            }
        const double norm = std::sqrt(dot(row, row, dim));
        for (Index c = 0; c < dim; ++c) row[c] /= norm;
    }
    return rows;
}

double chiNorm(Index dim, RandomStream& random) {
    double sum = 0.0;
    for (Index c = 0; c < dim; ++c) {
        const double x = random.normal();
        sum += x * x;
    }
    return std::sqrt(sum);
}

}  // namespace

Matrix<double> performerProjection(int features, int headDim, std::uint64_t seed, int layer, int head) {
    RandomStream directions(seed, RandomPurpose::PerformerDirections, layer, head);
    RandomStream norms(seed, RandomPurpose::PerformerNorms, layer, head);
    Matrix<double> projection(features, headDim);
    Matrix<double> block;
    for (Index f = 0; f < features; ++f) {
        const Index inBlock = f % headDim;
        if (inBlock == 0) block = haarRows(headDim, directions);
        const double norm = chiNorm(headDim, norms);
        for (Index c = 0; c < headDim; ++c) projection(f, c) = norm * block(inBlock, c);
    }
    return projection;
}

FastFoodDraw fastFoodDraw(int headDim, std::uint64_t seed, int layer) {
    RandomStream random(seed, RandomPurpose::SpectraFormer, layer);
    const auto size = static_cast<std::size_t>(headDim);
    FastFoodDraw draw{std::vector<double>(size), std::vector<double>(size), std::vector<double>(size),
                      std::vector<int>(size)};
    for (double& b : draw.b) b = random.below(2) == 0 ? -1.0 : 1.0;
    for (double& g : draw.g) g = random.normal();
    const double gNorm = std::sqrt(dot(draw.g.data(), draw.g.data(), headDim));
    for (double& s : draw.s) s = chiNorm(headDim, random) / gNorm;
    std::iota(draw.permutation.begin(), draw.permutation.end(), 0);
    for (std::size_t i = size; i > 1; --i) std::swap(draw.permutation[i - 1], draw.permutation[random.below(i)]);
    return draw;
}

std::vector<double> diJiangDraw(int headDim, std::uint64_t seed, int layer) {
    RandomStream random(seed, RandomPurpose::DiJiang, layer);
    std::vector<double> t(static_cast<std::size_t>(headDim));
    for (double& x : t) x = random.normal();
    return t;
}

Matrix<double> rfaProjection(int features, int headDim, std::uint64_t seed, int layer, int head) {
    RandomStream random(seed, RandomPurpose::Rfa, layer, head);
    return normalMatrix(features, headDim, random);
}

SketchDraw polySketchDraw(int headDim, int sketches, std::uint64_t seed, int layer, int head) {
    RandomStream random(seed, RandomPurpose::PolySketch, layer, head);
    SketchDraw draw;
    draw.s1 = normalMatrix(headDim, sketches, random);
    draw.s2 = normalMatrix(headDim, sketches, random);
    return draw;
}

}  // namespace dimscope::kernels
