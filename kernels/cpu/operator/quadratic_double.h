// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

#include "kernels/kernel_spec.h"
#include "kernels/matrix.h"

namespace dimscope::kernels::cpu {

/// The state path of the grouped quadratic kernel as section 5.2 of resources/docs/kernels.md writes it: double, one
/// position at a time, keys as they are. The oracle of attendQuadratic and itself checked against the pairwise one;
/// O(head_dim^2 value_dim / 2) per position, plain and slow.
class QuadraticMoments {
public:
    QuadraticMoments(Index headDim, Index valueDim);

    /// Adds one key and its value: head_dim and value_dim entries.
    void absorb(const double* key, const double* value);

    /// Output of one query over the keys so far. False: the denominator is not positive or not finite, or the output
    /// is not finite; `output` (value_dim) is NaN then.
    bool read(const Oal& spec, double scale, const double* query, double* output) const;

    const Matrix<double>& zeroth() const { return h0_; }  ///< (1, value_dim + 1) sum u
    const Matrix<double>& first() const { return h1_; }   ///< (head_dim, value_dim + 1) sum k_r u
    const Matrix<double>& second() const { return h2_; }  ///< (head_dim (head_dim + 1) / 2, value_dim + 1) packed

private:
    Index dim_, valueDim_;
    Matrix<double> h0_, h1_, h2_;
};

struct DoubleSequence {
    Matrix<double> values;   ///< (rows, value_dim)
    std::vector<Index> bad;  ///< ascending
};

/// Causal attention of one head, continuing `moments`.
DoubleSequence attendQuadraticDouble(const MatrixView<double>& query, const MatrixView<double>& key,
                                     const MatrixView<double>& value, double scale, const Oal& spec,
                                     QuadraticMoments& moments);

}  // namespace dimscope::kernels::cpu
