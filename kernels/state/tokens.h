// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "kernels/cpu/eigen_view.h"
#include "kernels/evaluation.h"

namespace dimscope::kernels::state {

using cpu::RowMajor;

/// Consecutive tokens of one query head, in the precision of a state path.
template <class T>
struct Tokens {
    Index first = 0;                  ///< position of row 0 in the sequence
    RowMajor<T> query, key, value;    ///< (count, dim); keys as the kernel sees them
    RowMajor<T> plainKey;             ///< (count, head_dim) as stored; empty where the same
    std::vector<std::uint8_t> valid;  ///< (count), 1 = real token
    std::vector<double> radial;       ///< (count) logits of linear_zeros; empty for other kernels

    Index count() const { return key.rows(); }
    const RowMajor<T>& exactKey() const { return plainKey.rows() > 0 ? plainKey : key; }
};

/// The tokens of a head; the mean of the keys taken away where there is one.
template <class T>
Tokens<T> tokensOf(const HeadInputs& head, const std::vector<double>* keyMean, Index first);

/// `before` continued by `after`.
template <class T>
Tokens<T> joined(const Tokens<T>& before, const Tokens<T>& after);

/// The last `count` tokens, or all where there are fewer.
template <class T>
Tokens<T> lastOf(const Tokens<T>& tokens, Index count);

}  // namespace dimscope::kernels::state
