// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/state/feature_form.h"

namespace dimscope::kernels::state {

/// Sums over the keys absorbed so far: of phi_f (v, 1), the state of a kernel.
template <class T>
struct FeatureSums {
    RowMajor<T> sums;                             ///< (features, value_dim + 1)
    Eigen::Matrix<T, 1, Eigen::Dynamic> largest;  ///< (features) of logarithmic forms: sums are over exp(l - largest)
};

/// Rows [queries, queries + count) and the keys [keys, keys + keyCount) that come to the state with them: row n of the
/// chunk sees key m of it where m <= n + sees.
struct ChunkRange {
    Index query = 0, count = 0;
    Index key = 0, keyCount = 0;
    Index sees = 0;
};

/// Rows of a chunk: sum of kappa (v, 1) up to a factor of the row, which is 1 for forms that are not logarithmic.
template <class T>
struct ChunkRows {
    RowMajor<T> sums;       ///< (count, value_dim + 1)
    RowMajor<T> absolutes;  ///< the same of absolute terms; empty unless asked for
};

/// One step of the state path: what a chunk reads from the state and from its own keys; the keys are absorbed then.
/// `usable`: (tokens) 0 where a key does not count. Logarithmic forms take chunks of one row and one key at most.
template <class T>
ChunkRows<T> passChunk(const FeatureForm<T>& form, const Tokens<T>& tokens, const ChunkRange& range,
                       const std::vector<std::uint8_t>& usable, FeatureSums<T>& state, bool wantAbsolutes);

}  // namespace dimscope::kernels::state
