// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cpu/operator/quadratic_double.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/attention_math.h"

namespace dimscope::kernels::cpu {
namespace {

/// M = L L^T, entry (row, col) of (G + 1) x (G + 1).
double formEntry(const Oal& spec, int row, int col) {
    double sum = 0.0;
    for (int c = 0; c <= std::min(row, col); ++c)
        sum += spec.factor[static_cast<std::size_t>(packedIndex(row, c))] *
               spec.factor[static_cast<std::size_t>(packedIndex(col, c))];
    return sum;
}

void addTimes(double factor, const double* row, std::vector<double>& sum) {
    for (std::size_t c = 0; c < sum.size(); ++c) sum[c] += factor * row[c];
}

}  // namespace

QuadraticMoments::QuadraticMoments(Index headDim, Index valueDim)
    : dim_(headDim),
      valueDim_(valueDim),
      h0_(1, valueDim + 1),
      h1_(headDim, valueDim + 1),
      h2_(headDim * (headDim + 1) / 2, valueDim + 1) {}

void QuadraticMoments::absorb(const double* key, const double* value) {
    const auto add = [&](double factor, double* row) {
        for (Index c = 0; c < valueDim_; ++c) row[c] += factor * value[c];
        row[valueDim_] += factor;
    };
    add(1.0, h0_.row(0));
    for (int r = 0; r < static_cast<int>(dim_); ++r) {
        add(key[r], h1_.row(r));
        for (int t = 0; t <= r; ++t) add(key[r] * key[t], h2_.row(packedIndex(r, t)));
    }
}

bool QuadraticMoments::read(const Oal& spec, double scale, const double* query, double* output) const {
    std::vector<double> sum(static_cast<std::size_t>(valueDim_ + 1), 0.0);
    addTimes(spec.epsilon + formEntry(spec, 0, 0), h0_.row(0), sum);
    for (int r = 0; r < static_cast<int>(dim_); ++r) {
        const int group = spec.label[static_cast<std::size_t>(r)] + 1;
        const double x = scale * query[r];
        addTimes(2.0 * formEntry(spec, 0, group) * x, h1_.row(r), sum);
        for (int t = 0; t <= r; ++t) {
            const double c = formEntry(spec, group, spec.label[static_cast<std::size_t>(t)] + 1);
            addTimes((t == r ? 1.0 : 2.0) * c * x * scale * query[t], h2_.row(packedIndex(r, t)), sum);
        }
    }
    const double denominator = sum.back();
    bool good = denominator > 0.0 && std::isfinite(denominator);
    for (Index c = 0; c < valueDim_; ++c) {
        output[c] = sum[static_cast<std::size_t>(c)] / denominator;
        good = good && std::isfinite(output[c]);
    }
    if (!good) std::fill_n(output, valueDim_, std::numeric_limits<double>::quiet_NaN());
    return good;
}

DoubleSequence attendQuadraticDouble(const MatrixView<double>& query, const MatrixView<double>& key,
                                     const MatrixView<double>& value, double scale, const Oal& spec,
                                     QuadraticMoments& moments) {
    DoubleSequence out{Matrix<double>(query.rows(), value.cols()), {}};
    for (Index i = 0; i < query.rows(); ++i) {
        moments.absorb(key.row(i), value.row(i));
        if (!moments.read(spec, scale, query.row(i), out.values.row(i))) out.bad.push_back(i);
    }
    return out;
}

}  // namespace dimscope::kernels::cpu
