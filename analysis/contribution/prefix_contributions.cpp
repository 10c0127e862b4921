// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/contribution/prefix_contributions.h"

#include <cmath>

namespace dimscope::analysis {
namespace {

constexpr Index kShortestPrefix = 16;  // below, a few tokens decide
constexpr Index kRowsBetweenChecks = 1024;

/// Sums over the positions seen so far. Causal: sum over queries i of |q_i| times the |k| of the keys that i sees.
/// Without a causal mask every pair of the prefix is visible, and the sum is that of |q| times that of |k|.
template <class Q, class K>
class PrefixSums {
public:
    PrefixSums(const kernels::MatrixView<Q>& query, const kernels::MatrixView<K>& key,
               const kernels::AttentionMask& mask)
        : query_(query), key_(key), mask_(mask), dim_(static_cast<std::size_t>(key.cols())) {
        for (auto* sums : {&queries_, &keys_, &products_}) sums->assign(dim_, 0.0);
    }

    void advance(Index i) {
        if (mask_.causal && mask_.window > 0 && i >= mask_.window) addKey(i - mask_.window, -1.0);
        addKey(i, 1.0);
        if (!mask_.isQuery(i)) return;
        const Q* q = query_.row(i);
        queryCount_ += 1.0;
        pairs_ += keyCount_;
        for (std::size_t r = 0; r < dim_; ++r) {
            const double magnitude = std::abs(static_cast<double>(q[r]));
            queries_[r] += magnitude;
            products_[r] += magnitude * keys_[r];
        }
    }

    void write(double scale, double* chi) const {
        const double pairs = mask_.causal ? pairs_ : queryCount_ * keyCount_;
        for (std::size_t r = 0; r < dim_; ++r) {
            const double sum = mask_.causal ? products_[r] : queries_[r] * keys_[r];
            chi[r] = pairs > 0.0 ? scale * sum / pairs : kNaN;
        }
    }

private:
    void addKey(Index j, double sign) {
        if (!mask_.isValid(j)) return;
        keyCount_ += sign;
        const K* k = key_.row(j);
        for (std::size_t r = 0; r < dim_; ++r) keys_[r] += sign * std::abs(static_cast<double>(k[r]));
    }

    kernels::MatrixView<Q> query_;
    kernels::MatrixView<K> key_;
    kernels::AttentionMask mask_;
    std::size_t dim_;
    double queryCount_ = 0.0, keyCount_ = 0.0, pairs_ = 0.0;
    std::vector<double> queries_, keys_, products_;  // (head_dim)
};

template <class Q, class K>
kernels::Matrix<double> prefixContributionsOf(const kernels::MatrixView<Q>& query, const kernels::MatrixView<K>& key,
                                              const kernels::HeadInputs& head, const std::vector<Index>& lengths,
                                              const RunControl& control) {
    kernels::Matrix<double> chi(static_cast<Index>(lengths.size()), key.cols());
    PrefixSums<Q, K> sums(query, key, head.mask);
    Index i = 0;
    for (std::size_t l = 0; l < lengths.size(); ++l) {
        for (; i < lengths[l]; ++i) {
            if (i % kRowsBetweenChecks == 0) control.throwIfCancelled();
            sums.advance(i);
        }
        sums.write(head.scale, chi.row(static_cast<Index>(l)));
    }
    return chi;
}

}  // namespace

std::vector<Index> prefixLengths(Index length) {
    std::vector<Index> lengths;
    for (Index n = kShortestPrefix; n < length; n *= 2) lengths.push_back(n);
    lengths.push_back(length);
    return lengths;
}

kernels::Matrix<double> prefixContributions(const kernels::HeadInputs& head, const std::vector<Index>& lengths,
                                            const RunControl& control) {
    return std::visit(
        [&](const auto& query, const auto& key) { return prefixContributionsOf(query, key, head, lengths, control); },
        head.query, head.key);
}

}  // namespace dimscope::analysis
