// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/orders/softmax_orders.h"

namespace dimscope::analysis {

/// One change to the linear ZeroS proxy (section 8.1 c); all that `change` does not name is as in the baseline.
struct AblationVariant {
    std::string name;    ///< "zero_order"
    std::string title;   ///< "zero order back"
    std::string change;  ///< what is other than in the baseline, as a clause
};

/// The baseline first: radial score s_j = -scale k_j.ubar_j, weights times cos(q_i, k_j), no zero order, sigma1 and
/// sigmah per head by unconstrained least squares against exact attention, no LayerNorm. Rows with one visible key are
/// left out of every variant, because the zero-sum form is 0 there whatever its gates.
const std::vector<AblationVariant>& ablationVariants();
/// One of them, by its name.
const AblationVariant& ablationVariant(const std::string& name);

/// Gates of the rows that see `fewestKeys` to `mostKeys` keys.
struct BandGates {
    double fewestKeys = 0.0, mostKeys = 0.0;
    ZeroGates gates;
};

/// A variant on one head, pooled over its rows.
struct HeadAblation {
    LayerIndex layer;
    HeadIndex head;
    std::string variant;
    bool usable = true;  ///< false: values that are not finite, or no row; numbers are NaN then
    /// Squared error over squared exact output. Under LayerNorm the length of an output says nothing, so that one
    /// factor per head is fitted behind it: 1 - cosine^2 then.
    double relMse = kNaN;
    double cosine = kNaN;          ///< between the variant and exact attention, over rows and coordinates
    std::vector<BandGates> gates;  ///< one entry, or one per band; none where the variant has no gates
    double scale = kNaN;           ///< the factor fitted behind LayerNorm; NaN without one
    Index rows = 0;
};

/// Errors, energies and inner products summed over the usable heads, every head with its own fit.
struct PooledAblation {
    std::optional<LayerIndex> layer;  ///< empty: all layers
    std::string variant;
    double relMse = kNaN, cosine = kNaN;
    Index heads = 0;  ///< that are usable
};

struct OrderAblations {
    std::vector<PromptIndex> prompts;
    std::vector<std::vector<Index>> positions;  ///< [P][R]
    std::vector<HeadAblation> heads;            ///< head after head, in each the variants in their order
    std::vector<PooledAblation> pooled;         ///< layer after layer, then over all
    std::vector<Warning> warnings;
    Provenance provenance;
};

/// The ablations of ZeroS as far as a dump allows: "functional form, untrained", fitted and judged on the same rows, so
/// that a variant with more gates never errs more. In double, whatever the backend. Throws ArgumentError, FormatError,
/// Cancelled.
OrderAblations orderAblations(const OrdersParams& params, HeadSource& source, const RunControl& control);

/// One row per layer (and "all") and variant.
Table ablationTable(const OrderAblations& result);
/// One row per head and variant.
Table headAblationTable(const OrderAblations& result);

}  // namespace dimscope::analysis
