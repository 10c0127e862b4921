// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "analysis/head_source.h"
#include "io/dump/attribute_scope.h"
#include "io/dump/tensor_name.h"

namespace dimscope::io {

class Hdf5Writer;

/// What the attributes of a layer say about its attention: mask, scale, soft cap and RoPE (formats.md, section 1).
/// `info` has its sizes already. `rotate`: RoPE is to be applied to q and k. Throws FormatError for values that cannot
/// be; what is merely unknown becomes a warning.
void readLayerAttributes(const FilePlace& place, const AttributeScope& scope, NamedRope named, bool rotate,
                         analysis::LayerInfo& info, std::vector<analysis::Warning>& warnings);

/// Writes what a layer says about itself, on the group of its tensors: the reader's counterpart.
void writeLayerAttributes(Hdf5Writer& file, const std::string& group, const analysis::LayerInfo& layer);

}  // namespace dimscope::io
