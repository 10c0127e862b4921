// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "analysis/selection.h"
#include "analysis/table.h"

namespace dimscope::analysis {

struct OrdersParams {
    Selection selection;
    int rows = 32;                              ///< sampled query rows per prompt; 0: all valid rows
    std::vector<std::vector<Index>> positions;  ///< [P][R] instead of sampling, one row per selected prompt
    std::uint64_t rowSeed = 0;
};

/// Softmax weights as 1/t + delta/t + epsilon, delta the logits less their mean (section 8.1): energies of the three
/// parts, means over rows. Zero is orthogonal to both others, first and higher are not.
struct WeightEnergy {
    double zero = 0.0, first = 0.0, higher = 0.0;
    double cross = 0.0;  ///< 2 <delta/t, epsilon>
    /// The same less 1/t split at right angles: c* delta, c* = <softmax - 1/t, delta> / |delta|^2, and the rest.
    double orthogonalFirst = 0.0, orthogonalHigher = 0.0;
    double total = 0.0;  ///< |softmax|^2
};

/// Squared norms of the parts' outputs and twice their inner products, means over rows, summed over coordinates.
struct OutputEnergy {
    double zero = 0.0, first = 0.0, higher = 0.0;
    double zeroFirst = 0.0, zeroHigher = 0.0, firstHigher = 0.0;
    double total = 0.0;
};

struct ZeroGates {
    double sigma1 = 0.0, sigmah = 0.0, sigma0 = 0.0;
};

/// A fit of the parts against the output of exact attention, pooled over the rows of a head.
struct OrderFit {
    ZeroGates gates;
    double relMse = kNaN;
    double cosine = kNaN;  ///< between the fit and exact attention
};

/// How far the mean over many keys thins an output out (section 8.1), at one query position, mean over prompts.
struct DilutionPoint {
    Index position = 0;
    double visible = 0.0;          ///< t
    double norm = 0.0;             ///< |y|
    double zeroShare = 0.0;        ///< |y0|^2 / |y|^2
    double effectiveTokens = 0.0;  ///< 1 / sum p^2
    double entropy = 0.0;          ///< of p over log t; NaN where t = 1
    double zeroSumNorm = 0.0;      ///< |y - y0|
};

struct HeadOrders {
    LayerIndex layer;
    HeadIndex head;
    bool usable = true;  ///< false: values that are not finite, or no row; numbers are NaN then
    WeightEnergy energy;
    OutputEnergy output;
    double cStar = kNaN;          ///< mean over rows; 1/t is the first order of the expansion
    OrderFit zerosSm;             ///< gates in [0, 1]^2, no zero order
    OrderFit zerosSmOnes;         ///< sigma1 = sigmah = 1: its error is the zero-order energy
    OrderFit linearZeros;         ///< proxy u = k, unconstrained; rows with one visible key left out
    OrderFit linearZerosFree;     ///< with sigma0 too
    double negativeShare = kNaN;  ///< of the absolute weight of the zero-sum part, share on negative weights
    Index rows = 0;
    std::vector<DilutionPoint> dilution;  ///< by position
};

struct OrdersResult {
    std::vector<PromptIndex> prompts;
    std::vector<std::vector<Index>> positions;  ///< [P][R]
    std::vector<HeadOrders> heads;
    std::vector<Warning> warnings;
    Provenance provenance;
};

/// Zero-, first- and higher-order parts of softmax and what zero-sum attention can express of it: "functional form,
/// untrained". In double, whatever the backend. Throws ArgumentError, FormatError, Cancelled.
OrdersResult softmaxOrders(const OrdersParams& params, HeadSource& source, const RunControl& control);

/// One row per head.
Table ordersTable(const OrdersResult& result);
/// One row per head and position.
Table dilutionTable(const OrdersResult& result);

}  // namespace dimscope::analysis
