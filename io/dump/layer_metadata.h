// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <vector>

#include "analysis/head_source.h"
#include "io/dump/attribute_scope.h"
#include "io/dump/layer_arrays.h"
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
    std::vector<int> unwrittenPrompts;                        ///< at the end of a file that is still being written

    /// Positions of k that the file has for a prompt.
    kernels::Index positionsOf(int prompt) const;
};

/// What the layers of a dump have in common while they are read.
struct LayerContext {
    const ArrayFile& file;
    const ReadingDecisions& decisions;
    const DecidedAttributes& decided;
    const std::vector<std::string>& prompts;        ///< names, where each is stored on its own
    kernels::Index promptCount = 0, positions = 0;  ///< of /prompts; 0: not known
    bool formatStated = false;

    /// Attributes of an array, those that a person decided nearest.
    AttributeScope scopeOf(const ArrayRef& array) const;
};

/// Reads the metadata of a layer; of several where an axis counts them. Throws FormatError where q, k, v or sink cannot
/// be used; an optional tensor that does not fit is left out with a warning.
std::vector<LayerContents> readLayers(const LayerContext& context, const LayerArrays& arrays,
                                      std::vector<analysis::Warning>& warnings,
                                      std::vector<analysis::ReadingNote>& readings);

}  // namespace dimscope::io
