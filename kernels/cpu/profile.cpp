// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cpu/profile.h"

#include <algorithm>
#include <cmath>

namespace dimscope::kernels::cpu {
namespace {

constexpr Index kCancelRows = 1024;

/// Sums of the keys visible to the current query, moved along the positions: |k| for chi, k and k^2 about the mean key
/// of the prompt for the deviation (centred, so that no digits cancel).
template <class T>
class VisibleKeys {
public:
    VisibleKeys(const MatrixView<T>& key, const AttentionMask& mask)
        : key_(key),
          mask_(mask),
          dim_(static_cast<std::size_t>(key.cols())),
          centre_(dim_, 0.0),
          absolute_(dim_, 0.0),
          sum_(dim_, 0.0),
          squares_(dim_, 0.0),
          deviation_(dim_, 0.0) {
        double count = 0.0;
        for (Index j = 0; j < key.rows(); ++j) {
            if (!mask.isValid(j)) continue;
            count += 1.0;
            for (std::size_t r = 0; r < dim_; ++r) centre_[r] += static_cast<double>(key.row(j)[r]);
        }
        for (double& c : centre_) c /= std::max(count, 1.0);
        if (!mask.causal) {
            for (Index j = 0; j < key.rows(); ++j) add(j, 1.0);
            updateDeviation();
        }
    }

    /// Makes the sums those of query i; call for i = 0, 1, 2, ...
    void advance(Index i) {
        if (!mask_.causal) return;
        add(i, 1.0);
        if (mask_.window > 0 && i >= mask_.window) add(i - mask_.window, -1.0);
        if (mask_.isQuery(i)) updateDeviation();
    }
    double count() const { return count_; }
    const double* absolute() const { return absolute_.data(); }
    const double* deviation() const { return deviation_.data(); }

private:
    void add(Index j, double sign) {
        if (!mask_.isValid(j)) return;
        count_ += sign;
        const T* k = key_.row(j);
        for (std::size_t r = 0; r < dim_; ++r) {
            const double value = static_cast<double>(k[r]);
            const double centred = value - centre_[r];
            absolute_[r] += sign * std::abs(value);
            sum_[r] += sign * centred;
            squares_[r] += sign * centred * centred;
        }
    }
    void updateDeviation() {
        const double inverse = 1.0 / count_;
        for (std::size_t r = 0; r < dim_; ++r) {
            const double mean = sum_[r] * inverse;
            deviation_[r] = std::sqrt(std::max(squares_[r] * inverse - mean * mean, 0.0));
        }
    }

    MatrixView<T> key_;
    AttentionMask mask_;
    std::size_t dim_;
    double count_ = 0.0;
    std::vector<double> centre_, absolute_, sum_, squares_, deviation_;
};

void addMagnitudes(const double* absolute, std::vector<double>& sum, std::vector<double>& maximum) {
    for (std::size_t r = 0; r < sum.size(); ++r) {
        sum[r] += absolute[r];
        maximum[r] = std::max(maximum[r], absolute[r]);
    }
}

/// Q and K: precision of the queries (the same in all jobs) and of the shared key.
template <class Q, class K>
std::vector<ProfileOutput> profileTyped(std::span<const ProfileJob> jobs, const MatrixView<K>& key,
                                        const RunControl& control) {
    const AttentionMask& mask = jobs.front().head.mask;
    const auto dim = static_cast<std::size_t>(key.cols());
    const std::vector<double> zeros(dim, 0.0);
    std::vector<ProfileOutput> out(jobs.size(), {zeros, zeros, zeros, zeros, zeros, zeros, 0.0});
    std::vector<double> kMean(dim, 0.0), kMax(dim, 0.0), absolute(dim, 0.0);
    VisibleKeys<K> visible(key, mask);
    double queries = 0.0, keys = 0.0, pairs = 0.0;
    for (Index i = 0; i < key.rows(); ++i) {
        if (i % kCancelRows == 0) control.throwIfCancelled();
        visible.advance(i);
        if (!mask.isValid(i)) continue;
        keys += 1.0;
        for (std::size_t r = 0; r < dim; ++r) absolute[r] = std::abs(static_cast<double>(key.row(i)[r]));
        addMagnitudes(absolute.data(), kMean, kMax);
        if (!mask.isQuery(i)) continue;
        queries += 1.0;
        pairs += visible.count();
        for (std::size_t n = 0; n < jobs.size(); ++n) {
            const Q* q = std::get<MatrixView<Q>>(jobs[n].head.query).row(i);
            for (std::size_t r = 0; r < dim; ++r) absolute[r] = std::abs(static_cast<double>(q[r]));
            addMagnitudes(absolute.data(), out[n].qMeanAbs, out[n].qMaxAbs);
            for (std::size_t r = 0; r < dim; ++r) {
                out[n].chi[r] += absolute[r] * visible.absolute()[r];
                out[n].chiEffective[r] += absolute[r] * visible.deviation()[r];
            }
        }
    }
    for (std::size_t n = 0; n < jobs.size(); ++n) {
        out[n].kMeanAbs = kMean;
        out[n].kMaxAbs = kMax;
        out[n].pairs = pairs;
        for (std::size_t r = 0; r < dim; ++r) {
            out[n].qMeanAbs[r] /= queries;
            out[n].kMeanAbs[r] /= keys;
            out[n].chi[r] *= jobs[n].head.scale / pairs;
            out[n].chiEffective[r] *= jobs[n].head.scale / queries;
        }
    }
    return out;
}

}  // namespace

std::vector<ProfileOutput> profileGroup(std::span<const ProfileJob> jobs, const RunControl& control) {
    const auto typed = [&](const auto& key) {
        return std::holds_alternative<MatrixView<float>>(jobs.front().head.query)
                   ? profileTyped<float>(jobs, key, control)
                   : profileTyped<double>(jobs, key, control);
    };
    return std::visit(typed, jobs.front().head.key);
}

}  // namespace dimscope::kernels::cpu
