// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cpu/operator/quadratic_slab.h"

#include <algorithm>
#include <numeric>

namespace dimscope::kernels::cpu {
namespace {

std::size_t asSize(Index count) { return static_cast<std::size_t>(count); }

/// At least 2 tasks per thread, so that a thread that loses its core for a while does not hold up the slab, and as many
/// for each: 9 tasks keep 2 threads busy for the time of 10. Every part reads all panels again: 4 per thread cost 8 %
/// more time at N = 16384, 12 per thread 16 %.
Index partsFor(Index kvHeads, Index dim, int threads) {
    const Index wanted = (2 * threads + kvHeads - 1) / kvHeads,
                even = threads / std::gcd<Index, Index>(kvHeads, threads);
    return std::clamp<Index>((wanted + even - 1) / even * even, 1, dim / 8);
}

}  // namespace

QuadraticSlab::QuadraticSlab(const SequenceHeads& heads, std::span<const Oal> specs, QuadraticState& state,
                             const LaneKernels& lanes, int threads)
    : heads_(heads),
      state_(state),
      lanes_(lanes),
      queryHeads_(static_cast<Index>(heads.query.size())),
      kvHeads_(static_cast<Index>(heads.key.size())),
      group_(queryHeads_ / kvHeads_),
      parts_(partsFor(kvHeads_, state.dim, threads)),
      dim_(state.dim),
      columns_(state.columns),
      maxChunks_((std::min(kSlab, heads.query.front().rows()) + kChunk - 1) / kChunk) {
    for (const Oal& spec : specs) {
        OwnedCoefficients owned(spec, heads.scale, dim_, lanes.lanes);
        const HeadCoefficients view = owned.view();  // its arrays stay where they are when the owner moves
        panelSize_ = std::max(panelSize_, view.panelSize);
        coefficients_.push_back({std::move(owned), view});
    }
    for (Head& head : coefficients_) head.view.panelSize = panelSize_;
    const Index panels = maxChunks_ * panelsPerChunk();
    keys_.resize(asSize(kvHeads_ * maxChunks_ * kChunk * (dim_ + dim_ / 2)));
    values_.resize(asSize(kvHeads_ * maxChunks_ * kChunk * columns_));
    panels_.resize(asSize(queryHeads_ * panels * panelSize_));
    const bool needsSums = state.positions > 0 || heads.query.front().rows() > kSlab;
    sums_.resize(needsSums ? asSize(queryHeads_ * parts_ * panels * columns_ * lanes_.lanes) : 0);
}

void QuadraticSlab::begin(Index first, Index count, bool keepState) {
    first_ = first;
    count_ = count;
    chunks_ = (count + kChunk - 1) / kChunk;
    fresh_ = state_.positions == 0;
    keepState_ = keepState;
}

float* QuadraticSlab::keys(Index kv, Index chunk) {
    return keys_.data() + (kv * maxChunks_ + chunk) * kChunk * (dim_ + dim_ / 2);
}
float* QuadraticSlab::values(Index kv, Index chunk) {
    return values_.data() + (kv * maxChunks_ + chunk) * kChunk * columns_;
}
float* QuadraticSlab::panel(Index head, Index index) {
    return panels_.data() + (head * maxChunks_ * panelsPerChunk() + index) * panelSize_;
}
float* QuadraticSlab::sums(Index head, Index part, Index index) {
    return sums_.data() + ((head * parts_ + part) * maxChunks_ * panelsPerChunk() + index) * columns_ * lanes_.lanes;
}

void QuadraticSlab::prepare(Index task) {
    const Index chunk = task % chunks_, n = task / chunks_;
    if (n < kvHeads_)
        prepareKeys(n, chunk);
    else
        preparePanels(n - kvHeads_, chunk);
}

void QuadraticSlab::prepareKeys(Index kv, Index chunk) {
    const MatrixView<float>& key = heads_.key[asSize(kv)];
    const MatrixView<float>& value = heads_.value[asSize(kv)];
    const std::vector<float>& shift = state_.heads[asSize(kv)].shift;
    float* v = values(kv, chunk);
    for (Index t = 0; t < chunkTokens(chunk); ++t) {
        const Index position = first_ + chunk * kChunk + t;
        float* row = keys(kv, chunk) + t * (dim_ + dim_ / 2);
        for (Index r = 0; r < dim_; ++r) row[r] = r < key.cols() ? key(position, r) - shift[asSize(r)] : 0.0F;
        std::copy_n(row, dim_ / 2, row + dim_);
        for (Index c = 0; c + 1 < columns_; ++c) v[c * kChunk + t] = value(position, c);
        v[(columns_ - 1) * kChunk + t] = 1.0F;
    }
}

void QuadraticSlab::preparePanels(Index head, Index chunk) {
    const MatrixView<float>& query = heads_.query[asSize(head)];
    for (Index p = 0; p < panelCount(chunk); ++p) {
        const Index local = chunk * kChunk + p * lanes_.lanes;
        lanes_.makePanel({&coefficients_[asSize(head)].view, query.row(first_ + local), query.stride(),
                          std::min(lanes_.lanes, count_ - local), query.cols(),
                          state_.heads[asSize(head / group_)].shift.data(), panel(head, chunk * panelsPerChunk() + p)});
    }
}

void QuadraticSlab::walk(Index task, const RunControl& control) {
    const Index kv = task / parts_, part = task % parts_, diagonals = dim_ / 2 + 2;
    QuadraticState::KvHead& head = state_.heads[asSize(kv)];
    std::vector<float> scratch(asSize(lanes_.lanes * std::max(kDiagonalsAtOnce * dim_, kChunk)));
    StateTask state{};
    state.dim = dim_;
    state.columns = columns_;
    state.from = diagonals * part / parts_;
    state.to = diagonals * (part + 1) / parts_;
    state.state = head.diagonals.data();
    state.total = part == 0 ? head.total.data() : nullptr;
    state.scratch = scratch.data();
    for (Index chunk = 0; chunk < chunks_; ++chunk) {
        control.throwIfCancelled();
        state.tokens = chunkTokens(chunk);
        state.keys = keys(kv, chunk);
        state.values = values(kv, chunk);
        const Index firstPanel = chunk * panelsPerChunk();
        for (Index h = kv * group_; !fresh_ && h < (kv + 1) * group_; ++h)
            lanes_.readout({state, &coefficients_[asSize(h)].view, panel(h, firstPanel), panelCount(chunk),
                            sums(h, part, firstPanel)});
        if (keepState_ || (!fresh_ && chunk + 1 < chunks_)) lanes_.update(state);
    }
}

void QuadraticSlab::addParts(Index head, Index index, float* total) {
    const Index size = columns_ * lanes_.lanes;
    std::fill_n(total, size, 0.0F);
    for (Index part = 0; !fresh_ && part < parts_; ++part) {
        const float* share = sums(head, part, index);
        for (Index n = 0; n < size; ++n) total[n] += share[n];
    }
}

void QuadraticSlab::finish(Index task, std::vector<std::vector<std::uint8_t>>& bad) {
    const Index chunk = chunks_ - 1 - task / queryHeads_, head = task % queryHeads_, kv = head / group_;
    const MatrixSpan<float>& output = heads_.output[asSize(head)];
    std::vector<float> total(asSize(columns_ * lanes_.lanes)), scratch(asSize(kChunk * lanes_.lanes));
    const Index firstChunk = fresh_ ? 0 : chunk;
    PairTask pairs{};
    pairs.head = &coefficients_[asSize(head)].view;
    pairs.columns = columns_;
    pairs.tokens = (chunk - firstChunk) * kChunk + chunkTokens(chunk);
    pairs.keys = keys(kv, firstChunk);
    pairs.values = values(kv, firstChunk);
    pairs.sums = total.data();
    pairs.scratch = scratch.data();
    for (Index p = 0; p < panelCount(chunk); ++p) {
        const Index index = chunk * panelsPerChunk() + p, local = chunk * kChunk + p * lanes_.lanes;
        pairs.panel = panel(head, index);
        pairs.position = local - firstChunk * kChunk;
        addParts(head, index, total.data());
        lanes_.pairs(pairs);
        lanes_.finish({columns_, std::min(lanes_.lanes, count_ - local), total.data(), output.row(first_ + local),
                       output.stride(), bad[asSize(head)].data() + first_ + local});
    }
}

std::size_t QuadraticSlab::bytes() const {
    return sizeof(float) * (keys_.size() + values_.size() + panels_.size() + sums_.size());
}

}  // namespace dimscope::kernels::cpu
