// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include "kernels/reference/pairwise.h"

namespace dimscope::kernels::reference {
namespace {

struct Magnitudes {
    std::vector<double> meanAbs, maxAbs;
};

/// Over the positions that `counts` picks.
template <class Counts>
Magnitudes magnitudes(const Matrix<double>& x, const Counts& counts) {
    const auto d = static_cast<std::size_t>(x.cols());
    Magnitudes m{std::vector<double>(d, 0.0), std::vector<double>(d, 0.0)};
    double count = 0.0;
    for (Index i = 0; i < x.rows(); ++i) {
        if (!counts(i)) continue;
        count += 1.0;
        for (std::size_t r = 0; r < d; ++r) {
            const double a = std::abs(x(i, static_cast<Index>(r)));
            m.meanAbs[r] += a;
            m.maxAbs[r] = std::max(m.maxAbs[r], a);
        }
    }
    for (double& mean : m.meanAbs) mean /= count;
    return m;
}

/// Population standard deviation of one key dimension over the keys visible to query i.
double visibleDeviation(const DoubleHead& head, Index i, Index r) {
    double count = 0.0, mean = 0.0, squares = 0.0;
    for (Index j = 0; j < head.key.rows(); ++j)
        if (head.mask.visible(i, j)) {
            count += 1.0;
            mean += head.key(j, r);
        }
    if (count == 0.0) return 0.0;
    mean /= count;
    for (Index j = 0; j < head.key.rows(); ++j)
        if (head.mask.visible(i, j)) squares += (head.key(j, r) - mean) * (head.key(j, r) - mean);
    return std::sqrt(squares / count);
}

}  // namespace

ProfileOutput profile(const DoubleHead& head, const RunControl& control) {
    const Index n = head.query.rows(), d = head.query.cols();
    const Magnitudes q = magnitudes(head.query, [&](Index i) { return head.mask.isQuery(i); });
    const Magnitudes k = magnitudes(head.key, [&](Index i) { return head.mask.isValid(i); });
    ProfileOutput out{q.meanAbs, q.maxAbs, k.meanAbs, k.maxAbs, {}, {}, 0.0};
    out.chi.assign(static_cast<std::size_t>(d), 0.0);
    out.chiEffective.assign(static_cast<std::size_t>(d), 0.0);
    double queries = 0.0;
    for (Index i = 0; i < n; ++i) {
        control.throwIfCancelled();
        if (!head.mask.isQuery(i)) continue;
        queries += 1.0;
        for (Index j = 0; j < n; ++j) {
            if (!head.mask.visible(i, j)) continue;
            out.pairs += 1.0;
            for (Index r = 0; r < d; ++r)
                out.chi[static_cast<std::size_t>(r)] += std::abs(head.query(i, r) * head.key(j, r));
        }
        for (Index r = 0; r < d; ++r)
            out.chiEffective[static_cast<std::size_t>(r)] += std::abs(head.query(i, r)) * visibleDeviation(head, i, r);
        control.report(static_cast<float>(i + 1) / static_cast<float>(n));
    }
    for (double& chi : out.chi) chi *= head.scale / out.pairs;
    for (double& chi : out.chiEffective) chi *= head.scale / queries;
    return out;
}

}  // namespace dimscope::kernels::reference
