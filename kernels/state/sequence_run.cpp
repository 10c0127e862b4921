// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/state/sequence_run.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/exact_part.h"

namespace dimscope::kernels::state {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

Index windowOf(const KernelSpec& spec) {
    const auto* lolcats = std::get_if<Lolcats>(&spec);
    return lolcats != nullptr ? lolcats->window : 0;
}

}  // namespace

/// Output over some keys and its weight against others.
template <class T>
struct SequenceRun<T>::Mix {
    Row values;         // (value_dim)
    double mass = 0.0;  // 0: there is no key
};

template <class T>
SequenceRun<T>::SequenceRun(const SequenceJob& job, Carried<T> before)
    : job_(job), carried_(std::move(before)), window_(windowOf(job.kernel)) {
    delay_ = std::max(window_, job.how.exact.window);
    Tokens<T> stretch = tokensOf<T>(job.head, job.how.keyMean.get(), carried_.positions);
    if (const auto* spec = std::get_if<LinearZeros>(&job.kernel))
        stretch.radial = radialLogits(*spec, stretch, job.head.scale, carried_.radial);
    noteFirstKeys(stretch);
    oldCount_ = carried_.latest.count();
    tokens_ = joined(carried_.latest, stretch);
    carried_.positions += stretch.count();
    chooseUsable();
    makeForm();
}

/// Keeps the first valid keys of the prompt for the exact part.
template <class T>
void SequenceRun<T>::noteFirstKeys(const Tokens<T>& stretch) {
    if (job_.how.exact.first == 0) carried_.firstEnd = 0;
    if (carried_.firstEnd) return;
    Index end = 0;
    for (; end < stretch.count() && carried_.validSeen < job_.how.exact.first; ++end)
        carried_.validSeen += stretch.valid[static_cast<std::size_t>(end)];
    Tokens<T> firsts = stretch;
    firsts.query = stretch.query.topRows(end);
    firsts.key = stretch.key.topRows(end);
    firsts.value = stretch.value.topRows(end);
    if (stretch.plainKey.rows() > 0) firsts.plainKey = stretch.plainKey.topRows(end);
    firsts.valid.resize(static_cast<std::size_t>(end));
    firsts.radial.clear();
    carried_.first = joined(carried_.first, firsts);
    if (carried_.validSeen == job_.how.exact.first) carried_.firstEnd = stretch.first + end;
}

template <class T>
void SequenceRun<T>::chooseUsable() {
    const Index firstEnd = carried_.firstEnd.value_or(carried_.positions);
    const bool onlyFirst = std::holds_alternative<FirstValue>(job_.kernel);
    bool found = onlyFirst && carried_.restSeen > 0;
    usableBefore_.assign(1, 0);
    for (Index j = 0; j < tokens_.count(); ++j) {
        const bool counts = tokens_.valid[static_cast<std::size_t>(j)] != 0 && tokens_.first + j >= firstEnd && !found;
        found = onlyFirst && (found || counts);
        usable_.push_back(counts ? 1 : 0);
        usableBefore_.push_back(usableBefore_.back() + (counts ? 1 : 0));
    }
}

template <class T>
void SequenceRun<T>::makeForm() {
    const auto* zeros = std::get_if<LinearZeros>(&job_.kernel);
    if (zeros == nullptr) {
        form_ = makeFeatureForm(job_.kernel, tokens_, job_.head.scale);
        return;
    }
    auto form = std::make_unique<LinearZerosForm<T>>(*zeros, tokens_, usable_, delay_, rangeAt(oldCount_, 0).key,
                                                     oldCount_, carried_.radial);
    if (carried_.sums.sums.size() > 0)
        carried_.sums.sums.bottomRows(tokens_.key.cols()) *= static_cast<T>(form->rescale());
    form_ = std::move(form);
}

/// Rows [row, row + count) with the keys that the last of them sees and the sums do not hold yet.
template <class T>
ChunkRange SequenceRun<T>::rangeAt(Index row, Index count) const {
    const Index key = std::max<Index>(0, row - delay_);
    const Index end = std::max<Index>(key, row + count - delay_);
    return {row, count, key, end - key, row - delay_ - key};
}

/// Usable keys that row sees through the sums.
template <class T>
Index SequenceRun<T>::restCount(Index row) const {
    const Index end = job_.head.mask.causal ? std::max<Index>(0, row - delay_ + 1) : tokens_.count();
    return carried_.restSeen + usableBefore_[static_cast<std::size_t>(end)];
}

template <class T>
SequenceOutput SequenceRun<T>::run(const RunControl& control) {
    const Index rows = tokens_.count() - oldCount_;
    SequenceOutput out{Matrix<double>(rows, tokens_.value.cols()),
                       std::vector<std::uint8_t>(static_cast<std::size_t>(rows), 0),
                       0,
                       {}};
    if (job_.wantCondition) out.condition.assign(static_cast<std::size_t>(rows), 1.0);
    if (!job_.head.mask.causal) {
        passAll(out, control);
        return out;
    }
    const Index step = form_->logarithmic() ? 1 : std::max<Index>(1, job_.chunk);
    const Index restBefore = carried_.restSeen;
    for (Index row = oldCount_; row < tokens_.count(); row += step) {
        control.throwIfCancelled();
        const ChunkRange range = rangeAt(row, std::min(step, tokens_.count() - row));
        const ChunkRows<T> chunk = passChunk(*form_, tokens_, range, usable_, carried_.sums, job_.wantCondition);
        for (Index n = 0; n < range.count; ++n) finishRow(row + n, chunk, n, out);
        control.report(static_cast<float>(row - oldCount_) / static_cast<float>(rows));
    }
    const Index absorbed = std::max<Index>(0, tokens_.count() - delay_);
    carried_.restSeen = restBefore + usableBefore_[static_cast<std::size_t>(absorbed)];
    return out;
}

/// Not causal: all keys first, then all rows.
template <class T>
void SequenceRun<T>::passAll(SequenceOutput& out, const RunControl& control) {
    const Index step = std::max<Index>(1, job_.chunk);
    for (Index key = 0; key < tokens_.count(); key += step) {
        control.throwIfCancelled();
        passChunk(*form_, tokens_, {0, 0, key, std::min(step, tokens_.count() - key), 0}, usable_, carried_.sums,
                  false);
    }
    const Index rowStep = form_->logarithmic() ? 1 : step;
    for (Index row = 0; row < tokens_.count(); row += rowStep) {
        control.throwIfCancelled();
        const ChunkRange range{row, std::min(rowStep, tokens_.count() - row), tokens_.count(), 0, 0};
        const ChunkRows<T> chunk = passChunk(*form_, tokens_, range, usable_, carried_.sums, job_.wantCondition);
        for (Index n = 0; n < range.count; ++n) finishRow(row + n, chunk, n, out);
        control.report(static_cast<float>(row) / static_cast<float>(tokens_.count()));
    }
}

/// sigma exp(s - m) of the keys inside LoLCATs' window that are not exact.
template <class T>
void SequenceRun<T>::addWindow(Index row, Row& sums, Index& seen) const {
    const auto* spec = std::get_if<Lolcats>(&job_.kernel);
    if (spec == nullptr) return;
    std::vector<std::pair<Index, T>> logits;
    T largest = -std::numeric_limits<T>::infinity();
    for (Index j = std::max<Index>(0, row - window_ + 1); j <= row; ++j) {
        if (usable_[static_cast<std::size_t>(j)] == 0 || !isNear(row - j)) continue;
        logits.emplace_back(j, static_cast<T>(job_.head.scale) * tokens_.query.row(row).dot(tokens_.key.row(j)));
        largest = std::max(largest, logits.back().second);
    }
    for (const auto& [j, logit] : logits) {
        const T weight = static_cast<T>(spec->sigma) * std::exp(logit - largest);
        sums.head(tokens_.value.cols()) += weight * tokens_.value.row(j);
        sums(tokens_.value.cols()) += weight;
        ++seen;
    }
}

/// A / a and a of the keys that are exact for a row.
template <class T>
typename SequenceRun<T>::Mix SequenceRun<T>::exactKeys(Index row) const {
    Mix mix{Row::Zero(tokens_.value.cols()), 0.0};
    const Index position = tokens_.first + row, firstEnd = carried_.firstEnd.value_or(carried_.positions);
    std::vector<std::tuple<double, const Tokens<T>*, Index>> keys;
    const auto add = [&](const Tokens<T>& from, Index j) {
        if (from.valid[static_cast<std::size_t>(j)] == 0) return;
        const double logit = job_.head.scale * static_cast<double>(tokens_.query.row(row).dot(from.exactKey().row(j)));
        keys.emplace_back(logit, &from, j);
    };
    for (Index j = 0; j < carried_.first.count(); ++j)
        if (!job_.head.mask.causal || carried_.first.first + j <= position) add(carried_.first, j);
    for (Index j = std::max<Index>(0, row - job_.how.exact.window + 1); j <= row; ++j)
        if (tokens_.first + j >= firstEnd) add(tokens_, j);
    double largest = -std::numeric_limits<double>::infinity();
    for (const auto& [logit, from, j] : keys) largest = std::max(largest, logit);
    for (const auto& [logit, from, j] : keys) {
        const double weight = std::exp(logit - largest);
        mix.values += static_cast<T>(weight) * from->value.row(j);
        mix.mass += weight;
    }
    if (mix.mass > 0.0) mix.values /= static_cast<T>(mix.mass);
    return mix;
}

/// The kernel's output over its keys, joined with the exact ones.
template <class T>
void SequenceRun<T>::finishRow(Index row, const ChunkRows<T>& rows, Index inChunk, SequenceOutput& out) {
    const Index r = row - oldCount_, dim = tokens_.value.cols();
    Row sums = rows.sums.row(inChunk);
    Index seen = restCount(row);
    addWindow(row, sums, seen);
    const T denominator = form_->normalised() ? form_->denominator(sums(dim)) : T(1);
    Row values = sums.head(dim) / denominator;
    if (std::holds_alternative<Zero>(job_.kernel)) values.setZero();
    const double condition = job_.wantCondition ? conditionOf(rows.absolutes.row(inChunk), denominator, values) : 1.0;
    double share = seen > 0 ? 1.0 : kNaN;
    if (!job_.how.exact.empty()) {
        const Mix exact = exactKeys(row);
        share = restShare(seen > 0, exact.mass, gateOf(job_.kernel, job_.how.exact));
        if (share == 0.0) values = exact.values;
        if (share > 0.0 && share < 1.0)
            values = static_cast<T>(share) * values + static_cast<T>(1.0 - share) * exact.values;
    }
    const bool divided = share > 0.0 && (denominator == T(0) || !std::isfinite(denominator));
    const bool bad =
        tokens_.valid[static_cast<std::size_t>(row)] == 0 || std::isnan(share) || divided || !values.allFinite();
    out.bad[static_cast<std::size_t>(r)] = bad ? 1 : 0;
    for (Index c = 0; c < dim; ++c) out.values(r, c) = bad ? kNaN : static_cast<double>(values(c));
    if (bad) return;
    if (share > 0.0 && denominator < T(0)) ++out.negativeDenominators;
    if (job_.wantCondition && share > 0.0) out.condition[static_cast<std::size_t>(r)] = condition;
}

/// Factor by which the rounding of a row's sums grows; a floor or a window in the denominator makes it no smaller.
template <class T>
double SequenceRun<T>::conditionOf(const Row& absolutes, T denominator, const Row& values) const {
    const Index dim = values.size();
    const T ratio =
        form_->normalised() ? absolutes(dim) / std::abs(denominator) : absolutes.head(dim).norm() / values.norm();
    return std::isfinite(ratio) ? std::max(1.0, static_cast<double>(ratio)) : 1.0;
}

template <class T>
Carried<T> SequenceRun<T>::after() const {
    Carried<T> next = carried_;
    next.latest = lastOf(tokens_, delay_);
    return next;
}

template class SequenceRun<float>;
template class SequenceRun<double>;

}  // namespace dimscope::kernels::state
