// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/fidelity/weight_agreement.h"

#include <algorithm>
#include <cmath>

namespace dimscope::analysis {
namespace {

/// KL(p || w); NaN where a weight that p needs is not positive.
double divergenceOf(const float* p, const float* w, Index keys) {
    double sum = 0.0;
    for (Index j = 0; j < keys; ++j) {
        if (!(p[j] > 0.0F)) continue;
        if (!(w[j] > 0.0F)) return kNaN;
        const double exact = static_cast<double>(p[j]);
        sum += exact * std::log(exact / static_cast<double>(w[j]));
    }
    return sum;
}

/// The largest entry stands at one place, the same in both.
bool sameTop(const float* p, const float* w, Index keys) {
    const Index top = std::max_element(p, p + keys) - p;
    if (!(w[top] > 0.0F)) return false;
    for (Index j = 0; j < keys; ++j)
        if (j != top && w[j] >= w[top]) return false;
    return true;
}

}  // namespace

WeightSums weightAgreement(const kernels::RowsOutput& exact, const kernels::RowsOutput& kernel) {
    WeightSums sums;
    const Index keys = exact.weights.cols();
    for (Index r = 0; r < exact.weights.rows(); ++r) {
        const auto n = static_cast<std::size_t>(r);
        if (exact.bad[n] != 0 || kernel.bad[n] != 0) continue;
        const float* p = exact.weights.row(r);
        const float* w = kernel.weights.row(r);
        sums.rows += 1.0;
        if (const double divergence = divergenceOf(p, w, keys); std::isfinite(divergence)) {
            sums.divergence += divergence;
            sums.divergenceRows += 1.0;
        }
        for (Index j = 0; j < keys; ++j)
            sums.variation += 0.5 * std::abs(static_cast<double>(p[j]) - static_cast<double>(w[j]));
        if (sameTop(p, w, keys)) sums.topAgreement += 1.0;
    }
    return sums;
}

}  // namespace dimscope::analysis
