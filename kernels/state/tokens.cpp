// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/state/tokens.h"

namespace dimscope::kernels::state {
namespace {

template <class T>
RowMajor<T> converted(const TensorView& view) {
    return std::visit([](const auto& v) -> RowMajor<T> { return cpu::eigen(v).template cast<T>(); }, view);
}

template <class T>
RowMajor<T> stacked(const RowMajor<T>& above, const RowMajor<T>& below) {
    RowMajor<T> both(above.rows() + below.rows(), below.cols());
    if (above.rows() > 0) both.topRows(above.rows()) = above;
    both.bottomRows(below.rows()) = below;
    return both;
}

template <class T>
void append(std::vector<T>& to, const std::vector<T>& more) {
    to.insert(to.end(), more.begin(), more.end());
}

}  // namespace

template <class T>
Tokens<T> tokensOf(const HeadInputs& head, const std::vector<double>* keyMean, Index first) {
    Tokens<T> tokens;
    tokens.first = first;
    tokens.query = converted<T>(head.query);
    tokens.key = converted<T>(head.key);
    tokens.value = converted<T>(head.value);
    tokens.valid.assign(static_cast<std::size_t>(head.rows()), 1);
    if (!head.mask.valid.empty()) tokens.valid.assign(head.mask.valid.begin(), head.mask.valid.end());
    // What stands in padding may be no number, and would spoil sums even with weight 0.
    for (Index j = 0; j < tokens.count(); ++j)
        if (tokens.valid[static_cast<std::size_t>(j)] == 0) {
            tokens.query.row(j).setZero();
            tokens.key.row(j).setZero();
            tokens.value.row(j).setZero();
        }
    if (keyMean == nullptr) return tokens;
    tokens.plainKey = tokens.key;
    const Eigen::Map<const Eigen::RowVectorXd> mean(keyMean->data(), static_cast<Index>(keyMean->size()));
    tokens.key = (tokens.key.template cast<double>().rowwise() - mean).template cast<T>();
    return tokens;
}

template <class T>
Tokens<T> joined(const Tokens<T>& before, const Tokens<T>& after) {
    if (before.count() == 0) return after;
    Tokens<T> both = before;
    both.query = stacked(before.query, after.query);
    both.key = stacked(before.key, after.key);
    both.value = stacked(before.value, after.value);
    if (after.plainKey.rows() > 0) both.plainKey = stacked(before.plainKey, after.plainKey);
    append(both.valid, after.valid);
    append(both.radial, after.radial);
    return both;
}

template <class T>
Tokens<T> lastOf(const Tokens<T>& tokens, Index count) {
    const Index kept = std::min(count, tokens.count()), from = tokens.count() - kept;
    Tokens<T> last;
    last.first = tokens.first + from;
    last.query = tokens.query.bottomRows(kept);
    last.key = tokens.key.bottomRows(kept);
    last.value = tokens.value.bottomRows(kept);
    if (tokens.plainKey.rows() > 0) last.plainKey = tokens.plainKey.bottomRows(kept);
    last.valid.assign(tokens.valid.begin() + from, tokens.valid.end());
    if (!tokens.radial.empty()) last.radial.assign(tokens.radial.begin() + from, tokens.radial.end());
    return last;
}

template Tokens<float> tokensOf(const HeadInputs&, const std::vector<double>*, Index);
template Tokens<double> tokensOf(const HeadInputs&, const std::vector<double>*, Index);
template Tokens<float> joined(const Tokens<float>&, const Tokens<float>&);
template Tokens<double> joined(const Tokens<double>&, const Tokens<double>&);
template Tokens<float> lastOf(const Tokens<float>&, Index);
template Tokens<double> lastOf(const Tokens<double>&, Index);

}  // namespace dimscope::kernels::state
