// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <vector>

#include "io/dump/layer_metadata.h"

namespace dimscope::io {

/// One array of a tensor, open.
struct OpenArray {
    NamedArray named;
    std::shared_ptr<const StoredArray> stored;
};

/// Opens the arrays of a role and checks that they hold something. Throws FormatError.
std::vector<OpenArray> openArrays(const LayerContext& context, const std::vector<NamedArray>& named);

/// How the axes of q, k, v and o of a layer are to be read.
struct LayerAxes {
    Axes query, key, value, output;
    kernels::Index headDim = 0, nHeads = 0, nKvHeads = 0;  ///< that split fused axes; 0: not needed
    std::string evidence;                                  ///< empty: as the format says
    bool assumed = false;
};

/// From `axes`, from labels, or from the shapes. Empty vectors: no such tensor. Throws FormatError.
LayerAxes readLayerAxes(const LayerContext& context, const std::vector<OpenArray>& query,
                        const std::vector<OpenArray>& key, const std::vector<OpenArray>& value,
                        const std::vector<OpenArray>& output);

/// The tensor [P, H, N, D] that arrays hold together. `heads` and `headDim` split a fused axis. `layer`: along a layer
/// axis. Throws FormatError where they do not fit each other.
StoredTensor tensorOf(const LayerContext& context, const std::vector<OpenArray>& arrays, const Axes& axes,
                      kernels::Index headDim, kernels::Index heads, kernels::Index layer,
                      std::vector<analysis::Warning>& warnings);

/// q, k and v of a fused array; the places of each inside it follow from the order of its name's family.
struct FusedTensors {
    StoredTensor query, key, value;
};
FusedTensors splitFused(const LayerContext& context, const std::vector<OpenArray>& arrays,
                        std::vector<analysis::Warning>& warnings);

/// A tensor of a single array with the axes of the format: w_o, sink, h. Throws FormatError.
StoredTensor plainTensor(const LayerContext& context, const NamedArray& named, const Axes& axes,
                         std::vector<analysis::Warning>& warnings);

}  // namespace dimscope::io
