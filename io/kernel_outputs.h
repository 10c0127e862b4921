// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "kernels/indices.h"

namespace dimscope::io {

/// Outputs of one kernel in one layer: shape [P, Hq, R, Dv] for "softmax", [S, P, Hq, R, Dv] for the others; row major.
struct OutputArray {
    kernels::LayerIndex layer;
    std::string kernel;
    std::vector<kernels::Index> shape;
    std::span<const double> values;
};

/// Writes kernel outputs (format 3), beside and renamed. `positions`: [P][R].
void writeKernelOutputs(const std::filesystem::path& path, const std::vector<std::vector<kernels::Index>>& positions,
                        std::span<const OutputArray> outputs);

}  // namespace dimscope::io
