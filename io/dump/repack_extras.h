// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/head_source.h"
#include "io/dump/array_file.h"
#include "io/dump/stored_tensor.h"

namespace dimscope::io {

class Hdf5Writer;

/// x of a layer: the input of its attention block, [P, N, model_dim].
class BlockInput {
public:
    /// Throws FormatError where it cannot be read, or has other prompts or positions than the layer.
    BlockInput(const ArrayFile& file, const ArrayRef& array, const analysis::LayerInfo& layer);
    kernels::Index cols() const { return tensor_.shape[2]; }
    std::string encoding() const { return tensor_.format.name(); }
    /// (N, model_dim)
    std::shared_ptr<const analysis::LoadedTensor> load(kernels::PromptIndex prompt,
                                                       const kernels::RunControl& control) const;

private:
    StoredTensor tensor_;
    std::shared_ptr<const StoredArray> array_;
};

/// The array that format 1 has as x of the layer; nothing where the file has none.
std::optional<ArrayRef> blockInputOf(const ArrayFile& file, kernels::LayerIndex layer);

/// Rows first .. first + count.
kernels::TensorView rowsOfView(const kernels::TensorView& view, kernels::Index first, kernels::Index count);

/// Copies /prompts/ids and /prompts/tokens where they are there and [P, N]; what cannot be copied becomes a warning.
void copyTokens(const ArrayFile& file, kernels::Index prompts, kernels::Index positions, Hdf5Writer& to,
                std::vector<analysis::Warning>& warnings);

}  // namespace dimscope::io
