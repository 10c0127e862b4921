// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "analysis/head_source.h"

namespace dimscope::io {

/// A tensor of a layer that format 1 does not name; readers pass it over. [P, n_heads, N, cols], one matrix (N, cols)
/// per prompt and query head.
struct ExtraTensor {
    std::string name;
    kernels::Index cols = 0;
    std::function<const kernels::Matrix<double>&(kernels::LayerIndex, kernels::PromptIndex, kernels::HeadIndex)> of;
};

/// Writes q, k and v of every layer in format 1 (formats.md) as float64, one tensor in memory at a time: meant for
/// small dumps. Beside `path` and renamed. Throws FileError, ArgumentError (a prompt with padding, a layer with a
/// sink), and what the source throws.
void writeDump(const std::filesystem::path& path, analysis::HeadSource& source, const std::vector<ExtraTensor>& extras,
               const std::string& createdBy, const kernels::RunControl& control);

}  // namespace dimscope::io
