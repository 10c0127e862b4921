// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cpu/operator/head_coefficients.h"

#include <algorithm>

#include "kernels/state/bulk_first.h"

namespace dimscope::kernels::cpu {

OwnedCoefficients::OwnedCoefficients(const Oal& spec, double scale, Index dim, Index lanes)
    : dim_(dim), lanes_(lanes), columns_(spec.groups) {
    const state::BulkFirst form = state::bulkFirst(spec);
    floor_ = static_cast<float>(form.floor);
    weight_.assign(static_cast<std::size_t>(columns_ * dim), 0.0F);
    for (int c = 0; c < columns_; ++c) {
        offset_.push_back(static_cast<float>(form.offset[static_cast<std::size_t>(c)]));
        for (std::size_t r = 0; r < spec.label.size(); ++r)
            weight_[static_cast<std::size_t>(c * dim) + r] = static_cast<float>(scale * form.weight(spec.label[r], c));
    }
    orderTail(spec);
    pairTail();
}

void OwnedCoefficients::orderTail(const Oal& spec) {
    for (std::size_t r = 0; r < spec.label.size(); ++r)
        if (spec.label[r] > 0) tailDim_.push_back(static_cast<std::int32_t>(r));
    const auto label = [&](std::int32_t r) { return spec.label[static_cast<std::size_t>(r)]; };
    std::stable_sort(tailDim_.begin(), tailDim_.end(), [&](auto a, auto b) { return label(a) < label(b); });
    for (int c = 0; c < columns_; ++c)  // column c has weights in the groups c, c + 1, ..
        tailFrom_.push_back(static_cast<std::int32_t>(
            std::count_if(tailDim_.begin(), tailDim_.end(), [&](auto r) { return label(r) < c; })));
}

void OwnedCoefficients::pairTail() {
    const auto dim = static_cast<std::int32_t>(dim_);
    std::vector<std::vector<PairTerm>> byDiagonal(static_cast<std::size_t>(dim / 2 + 1));
    for (std::int32_t a = 0; a < static_cast<std::int32_t>(tailDim_.size()); ++a)
        for (std::int32_t b = a; b < static_cast<std::int32_t>(tailDim_.size()); ++b) {
            const auto [low, high] =
                std::minmax(tailDim_[static_cast<std::size_t>(a)], tailDim_[static_cast<std::size_t>(b)]);
            const std::int32_t apart = high - low;  // the pair is x_r x_{(r + s) mod dim} with s <= dim / 2
            const bool around = 2 * apart > dim;
            byDiagonal[static_cast<std::size_t>(around ? dim - apart : apart)].push_back(
                {around ? high : low, a, b, a == b ? 1.0F : 2.0F});
        }
    for (const std::vector<PairTerm>& terms : byDiagonal) {
        termFrom_.push_back(static_cast<std::int32_t>(terms_.size()));
        terms_.insert(terms_.end(), terms.begin(), terms.end());
    }
    termFrom_.push_back(static_cast<std::int32_t>(terms_.size()));
}

HeadCoefficients OwnedCoefficients::view() const {
    HeadCoefficients view{};
    view.dim = dim_;
    view.columns = columns_;
    view.floor = floor_;
    view.offset = offset_.data();
    view.weight = weight_.data();
    view.tailCount = static_cast<int>(tailDim_.size());
    view.tailDim = tailDim_.data();
    view.tailFrom = tailFrom_.data();
    view.terms = terms_.data();
    view.termFrom = termFrom_.data();
    view.linearAt = dim_ * lanes_;
    view.constantAt = 2 * dim_ * lanes_;
    view.offsetAt = view.constantAt + lanes_;
    view.tailAt = view.offsetAt + columns_ * lanes_;
    view.panelSize = view.tailAt + (columns_ - 1) * view.tailCount * lanes_;
    return view;
}

}  // namespace dimscope::kernels::cpu
