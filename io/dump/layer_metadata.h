// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <vector>

#include "analysis/head_source.h"
#include "io/dump/stored_tensor.h"

namespace dimscope::io {

/// One layer of a dump: what people are told about it, and what it takes to read its tensors.
struct LayerContents {
    analysis::LayerInfo info;
    StoredTensor query, key;                                  ///< [P, Hq, N, D], [P, Hkv, N, D]
    std::optional<StoredTensor> value, output;                ///< [P, Hkv, N, Dv], [P, Hq, N, Dv]
    std::optional<StoredTensor> projection;                   ///< [Dmodel, Hq * Dv]
    std::optional<StoredTensor> sink;                         ///< [Hq]
    std::optional<StoredTensor> hidden;                       ///< [P, N, Dmodel]
    std::optional<StoredTensor> hiddenMeanAbs, hiddenMaxAbs;  ///< [P, Dmodel]
};

/// Reads the metadata of /layers/LL. Throws FormatError where q, k, v or sink cannot be used as the format says;
/// an optional o or w_o that does not fit is left out with a warning. `outer`: attributes of /layers and /.
LayerContents readLayerMetadata(const Hdf5Group& group, kernels::LayerIndex layer, const AttributeScope& outer,
                                std::vector<analysis::Warning>& warnings);

}  // namespace dimscope::io
