// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "io/dump/array_file.h"
#include "io/dump/reading_decisions.h"
#include "io/dump/tensor_name.h"

namespace dimscope::io {

struct NamedArray {
    ArrayRef ref;
    TensorName name;
};

/// The arrays of one layer by what they hold; several of one role are its prompts or heads.
struct LayerArrays {
    std::optional<kernels::Index> layer;  ///< nothing: no name says it
    NamedRope rope = NamedRope::Unsaid;   ///< of the q and k that were chosen
    std::map<TensorRole, std::vector<NamedArray>> arrays;

    bool has(TensorRole role) const { return arrays.contains(role); }
    /// An array to name in messages, and whose attributes count for the layer.
    const ArrayRef& first() const;
};

struct DumpArrays {
    std::vector<LayerArrays> layers;   ///< ascending
    std::vector<std::string> prompts;  ///< names of prompts that are stored on their own, in order; empty: none are
};

/// Finds the tensors of a dump among the names of a file: of several sets the one that has q and k per layer; of q
/// before and after RoPE the one after. Throws FormatError where there is no q and k, saying what is there instead, and
/// where names leave a choice.
DumpArrays arrangeArrays(const ArrayFile& file, const ReadingDecisions& decisions);

}  // namespace dimscope::io
