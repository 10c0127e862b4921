// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/exact_part.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dimscope::kernels {
namespace {

/// Position behind the first `count` valid keys; all positions where there are fewer.
Index endOfFirst(const AttentionMask& mask, Index count, Index positions) {
    Index seen = 0;
    for (Index j = 0; j < positions; ++j) {
        if (seen == count) return j;
        if (mask.isValid(j)) ++seen;
    }
    return positions;
}

bool seesAny(const AttentionMask& mask, Index i, Index positions) {
    for (Index j = 0; j < positions; ++j)
        if (mask.visible(i, j)) return true;
    return false;
}

template <class T>
void mixRow(Matrix<T>& rest, const Matrix<T>& exact, Index r, double share) {
    for (Index c = 0; c < rest.cols(); ++c) {
        const double fromRest = share > 0.0 ? share * static_cast<double>(rest(r, c)) : 0.0;
        const double fromExact = share < 1.0 ? (1.0 - share) * static_cast<double>(exact(r, c)) : 0.0;
        rest(r, c) = static_cast<T>(fromRest + fromExact);
    }
}

}  // namespace

double restShare(bool hasRest, double mass, double gate) {
    if (!hasRest) return mass > 0.0 ? 0.0 : std::numeric_limits<double>::quiet_NaN();
    return std::isinf(gate) ? 1.0 : gate / (mass + gate);
}

double gateOf(const KernelSpec& spec, const ExactPart& part) {
    return std::holds_alternative<Zero>(spec) ? 0.0 : part.gate;
}

SplitMasks splitMasks(const AttentionMask& mask, const ExactPart& part, Index positions) {
    SplitMasks masks{mask, mask};
    masks.exact.split = {KeySplit::Part::Exact, endOfFirst(mask, part.first, positions), part.window};
    masks.rest.split = masks.exact.split;
    masks.rest.split.part = KeySplit::Part::Rest;
    return masks;
}

HeadInputs exactKeysOf(const HeadInputs& head, const AttentionMask& exactMask) {
    HeadInputs exact = head;
    exact.mask = exactMask;
    exact.softcap = 0.0;
    exact.sink.reset();
    return exact;
}

RowsOutput joinExactPart(RowsOutput rest, const RowsOutput& exact, const AttentionMask& restMask,
                         std::span<const Index> rows, Index positions, double gate) {
    rest.exactMass = exact.exactMass;
    for (std::size_t n = 0; n < rows.size(); ++n) {
        const auto r = static_cast<Index>(n);
        const bool hasRest = seesAny(restMask, rows[n], positions);
        const double share = restShare(hasRest, exact.exactMass[n], gate);
        if (!hasRest) rest.exactMass[n] = std::numeric_limits<double>::infinity();
        const bool bad = std::isnan(share) || (share > 0.0 && rest.bad[n] != 0) || (share < 1.0 && exact.bad[n] != 0);
        rest.bad[n] = bad ? 1 : 0;
        if (bad) {
            std::fill_n(rest.values.row(r), rest.values.cols(), std::numeric_limits<double>::quiet_NaN());
            continue;
        }
        mixRow(rest.values, exact.values, r, share);
        if (!rest.weights.empty()) mixRow(rest.weights, exact.weights, r, share);
    }
    if (gate == 0.0) rest.negativeDenominators = 0;
    return rest;
}

}  // namespace dimscope::kernels
