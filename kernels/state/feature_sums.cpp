// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/state/feature_sums.h"

#include <cassert>
#include <cmath>
#include <limits>

namespace dimscope::kernels::state {
namespace {

/// (v, 1) of the keys of a chunk, 0 where a key does not count.
template <class T>
RowMajor<T> augmentedValues(const Tokens<T>& tokens, const ChunkRange& range, const std::vector<std::uint8_t>& usable) {
    RowMajor<T> out(range.keyCount, tokens.value.cols() + 1);
    out.leftCols(tokens.value.cols()) = tokens.value.middleRows(range.key, range.keyCount);
    out.rightCols(1).setOnes();
    for (Index m = 0; m < range.keyCount; ++m)
        if (usable[static_cast<std::size_t>(range.key + m)] == 0) out.row(m).setZero();
    return out;
}

/// Factors decay^n of rows or keys, from the first exponent on.
template <class T>
Eigen::Matrix<T, Eigen::Dynamic, 1> powers(double decay, Index first, Index count, Index step) {
    Eigen::Matrix<T, Eigen::Dynamic, 1> out(count);
    for (Index n = 0; n < count; ++n) out(n) = static_cast<T>(std::pow(decay, static_cast<double>(first + step * n)));
    return out;
}

/// kappa inside the chunk: decay^(i - j) phi.psi where row n sees key m, else 0.
template <class T>
RowMajor<T> chunkPairs(const RowMajor<T>& phi, const RowMajor<T>& psi, const ChunkRange& range, double decay) {
    RowMajor<T> pairs = phi * psi.transpose();
    for (Index n = 0; n < range.count; ++n)
        for (Index m = 0; m < range.keyCount; ++m) {
            const Index distance = (range.query + n) - (range.key + m);
            if (m > n + range.sees)
                pairs(n, m) = T(0);
            else if (decay != 1.0)
                pairs(n, m) *= static_cast<T>(std::pow(decay, static_cast<double>(distance)));
        }
    return pairs;
}

template <class T>
ChunkRows<T> passPlain(const FeatureForm<T>& form, const Tokens<T>& tokens, const ChunkRange& range,
                       const RowMajor<T>& values, FeatureSums<T>& state, bool wantAbsolutes) {
    const double decay = form.decay();
    const RowMajor<T> psi = form.keys(tokens, range.key, range.keyCount);
    ChunkRows<T> rows;
    if (range.count > 0) {
        const RowMajor<T> phi = form.queries(tokens, range.query, range.count);
        const RowMajor<T> pairs = chunkPairs(phi, psi, range, decay);
        // The sums stand for the key before the chunk's first one, decay^1 away from it.
        const auto fade = powers<T>(decay, range.query - range.key + 1, range.count, 1);
        rows.sums = fade.asDiagonal() * (phi * state.sums);
        rows.sums.noalias() += pairs * values;
        if (wantAbsolutes)
            rows.absolutes =
                fade.asDiagonal() * (phi.cwiseAbs() * state.sums.cwiseAbs()) + pairs.cwiseAbs() * values.cwiseAbs();
    }
    const RowMajor<T> faded = powers<T>(decay, range.keyCount - 1, range.keyCount, -1).asDiagonal() * values;
    state.sums *= static_cast<T>(std::pow(decay, static_cast<double>(range.keyCount)));
    state.sums.noalias() += psi.transpose() * faded;
    return rows;
}

/// Sums relative to the largest exponent of each feature so far.
template <class T>
void absorbLogs(const RowMajor<T>& logs, const RowMajor<T>& value, FeatureSums<T>& state) {
    const Eigen::Matrix<T, 1, Eigen::Dynamic> largest = state.largest.cwiseMax(logs.row(0));
    // exp(-inf - finite) = 0 for the first key; both infinite does not happen: logs are finite or the row is bad.
    const Eigen::Matrix<T, 1, Eigen::Dynamic> keep = (state.largest - largest).array().exp();
    const Eigen::Matrix<T, 1, Eigen::Dynamic> weight = (logs.row(0) - largest).array().exp();
    state.sums.array().colwise() *= keep.transpose().array();
    state.sums.noalias() += weight.transpose() * value.row(0);
    state.largest = largest;
}

template <class T>
ChunkRows<T> passLogs(const FeatureForm<T>& form, const Tokens<T>& tokens, const ChunkRange& range,
                      const RowMajor<T>& values, const std::vector<std::uint8_t>& usable, FeatureSums<T>& state,
                      bool wantAbsolutes) {
    for (Index m = 0; m < range.keyCount; ++m)
        if (usable[static_cast<std::size_t>(range.key + m)] != 0)
            absorbLogs<T>(form.keys(tokens, range.key + m, 1), values.middleRows(m, 1), state);
    ChunkRows<T> rows;
    if (range.count == 0) return rows;
    rows.sums = RowMajor<T>::Zero(1, state.sums.cols());
    if (state.largest.maxCoeff() > -std::numeric_limits<T>::infinity()) {
        const RowMajor<T> exponents = form.queries(tokens, range.query, 1) + state.largest;
        rows.sums = (exponents.array() - exponents.maxCoeff()).exp().matrix() * state.sums;
        if (!exponents.allFinite()) rows.sums.setConstant(std::numeric_limits<T>::quiet_NaN());
    }
    if (wantAbsolutes) rows.absolutes = rows.sums.cwiseAbs();  // positive terms: nothing cancels in the denominator
    return rows;
}

}  // namespace

template <class T>
ChunkRows<T> passChunk(const FeatureForm<T>& form, const Tokens<T>& tokens, const ChunkRange& range,
                       const std::vector<std::uint8_t>& usable, FeatureSums<T>& state, bool wantAbsolutes) {
    if (state.sums.size() == 0) {
        state.sums = RowMajor<T>::Zero(form.features(), tokens.value.cols() + 1);
        state.largest.setConstant(form.features(), -std::numeric_limits<T>::infinity());
    }
    const RowMajor<T> values = augmentedValues(tokens, range, usable);
    if (!form.logarithmic()) return passPlain(form, tokens, range, values, state, wantAbsolutes);
    assert(range.count <= 1);
    return passLogs(form, tokens, range, values, usable, state, wantAbsolutes);
}

template ChunkRows<float> passChunk(const FeatureForm<float>&, const Tokens<float>&, const ChunkRange&,
                                    const std::vector<std::uint8_t>&, FeatureSums<float>&, bool);
template ChunkRows<double> passChunk(const FeatureForm<double>&, const Tokens<double>&, const ChunkRange&,
                                     const std::vector<std::uint8_t>&, FeatureSums<double>&, bool);

}  // namespace dimscope::kernels::state
