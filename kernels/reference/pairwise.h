// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "kernels/backend.h"

namespace dimscope::kernels::reference {

// The oracle: every kernel pair by pair, in double, for chosen query rows. Plain and slow; nobody optimises it.

/// A head in double precision.
struct DoubleHead {
    explicit DoubleHead(const HeadInputs& inputs);
    Matrix<double> query, key, value;
    AttentionMask mask;
    double scale, softcap;
    std::optional<double> sink;
};

/// ln kappa(q_i, k_j) of one kernel on one head; the head outlives it.
class PairwiseKernel {
public:
    virtual ~PairwiseKernel() = default;
    virtual double logKappa(Index i, Index j) const = 0;
};

std::unique_ptr<PairwiseKernel> makePairwise(const KernelSpec& spec, const DoubleHead& head);

/// Normalised weights of row i over all keys (0 where not visible) and whether the row is bad.
struct WeightRow {
    std::vector<double> weights;
    bool bad = false;
};
WeightRow weightRow(const KernelSpec& spec, const PairwiseKernel& kernel, const DoubleHead& head, Index i);

/// Rows of one kernel on one head.
RowsOutput attendRows(const KernelSpec& spec, const DoubleHead& head, std::span<const Index> rows, bool wantWeights,
                      const RunControl& control);

/// Magnitudes and contributions by visiting every pair: O(rows^2 dim).
ProfileOutput profile(const DoubleHead& head, const RunControl& control);

}  // namespace dimscope::kernels::reference
