// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cmath>
#include <limits>
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

/// Weights of some keys in one row.
struct KeyWeights {
    std::vector<double> weights;  ///< as many as keys
    bool bad = false;             ///< the denominator is 0 or not finite
    bool negative = false;        ///< the denominator is negative, and used
};

/// One kernel on one head; the head outlives it.
class PairwiseKernel {
public:
    virtual ~PairwiseKernel() = default;
    /// Weights of row i on `keys` (ascending, at least one), with those keys alone in the denominator.
    virtual KeyWeights weigh(Index i, std::span<const Index> keys) const = 0;
    /// ln kappa of one pair; NaN where kappa is negative or the kernel is no function of pairs.
    virtual double logKappa(Index, Index) const { return std::numeric_limits<double>::quiet_NaN(); }
};

/// kappa >= 0: kappa / sum kappa from logarithms, so that neither overflows nor vanishes.
class PositiveKernel : public PairwiseKernel {
public:
    KeyWeights weigh(Index i, std::span<const Index> keys) const override;
};

/// kappa of any sign, or with a denominator of its own: kappa / denominator(sum kappa).
class SignedKernel : public PairwiseKernel {
public:
    virtual double kappa(Index i, Index j) const = 0;
    virtual double denominator(double sum) const { return sum; }
    double logKappa(Index i, Index j) const override { return std::log(kappa(i, j)); }
    KeyWeights weigh(Index i, std::span<const Index> keys) const override;
};

std::unique_ptr<PairwiseKernel> makePairwise(const KernelSpec& spec, const DoubleHead& head);

/// Weights of row i over all keys (0 where not visible) and whether the row is bad or its denominator negative.
KeyWeights weightRow(const PairwiseKernel& kernel, const DoubleHead& head, Index i);

/// Rows of one kernel on one head.
RowsOutput attendRows(const PairwiseKernel& kernel, const DoubleHead& head, std::span<const Index> rows,
                      bool wantWeights, const RunControl& control);

/// Rows of one kernel on one head, evaluated as asked for: centred keys, restricted to a subset of dimensions, with an
/// exact part.
RowsOutput attendRows(const KernelSpec& spec, const Evaluation& how, const HeadInputs& inputs,
                      std::span<const Index> rows, bool wantWeights, const RunControl& control);

/// Magnitudes and contributions by visiting every pair: O(rows^2 dim).
ProfileOutput profile(const DoubleHead& head, const RunControl& control);

}  // namespace dimscope::kernels::reference
