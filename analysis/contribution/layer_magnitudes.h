// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/selection.h"
#include "analysis/table.h"
#include "kernels/backend.h"

namespace dimscope::analysis {

struct LayerMagnitudesParams {
    Selection selection = {};
    int rows = 32;  ///< query rows per prompt that y W_o is computed at; 0: all valid rows
    std::uint64_t rowSeed = 0;
};

/// One dimension among the largest of a layer.
struct LargeDimension {
    double value = kNaN;
    int head = -1;  ///< query head for q, key/value head for k and v; -1: a dimension of the model
    int dimension = -1;
};

/// Mean |x| over positions, prompts counting equally, for every dimension: of all selected heads side by side, or of
/// the model. Dimensions whose mean is not finite are left out.
struct MagnitudeSummary {
    std::vector<LargeDimension> top;  ///< up to three, descending; fewer where there are fewer dimensions with a number
    double median = kNaN;             ///< over the dimensions; NaN where none has a number
};

struct LayerMagnitudes {
    LayerIndex layer;
    MagnitudeSummary query, key;
    std::optional<MagnitudeSummary> value;   ///< none without v
    std::optional<MagnitudeSummary> output;  ///< y W_o, the attention output after the projection; none without v or
                                             ///< w_o, and where some heads are not selected
    std::optional<MagnitudeSummary> hidden;  ///< residual stream entering the block; none without h and its summaries
    bool hiddenIsMaximum = false;            ///< the dump has max |h| alone
};

struct LayerMagnitudesResult {
    std::vector<PromptIndex> prompts;
    Index rows = 0;  ///< query rows per prompt behind y W_o
    std::vector<LayerMagnitudes> layers;
    std::vector<Warning> warnings;
    Provenance provenance;
};

/// The three largest and the median magnitude of queries, keys, values, outputs and the residual stream, layer by
/// layer. y is exact attention at sampled rows. Throws ArgumentError, FormatError, Cancelled.
LayerMagnitudesResult layerMagnitudes(const LayerMagnitudesParams& params, HeadSource& source,
                                      kernels::Backend& backend, const RunControl& control);

/// One row per layer and tensor.
Table layerMagnitudesTable(const LayerMagnitudesResult& result);

}  // namespace dimscope::analysis
