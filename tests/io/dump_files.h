// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "analysis/head_source.h"

namespace dimscope::tests {

// The files of tests/data/make_dumps.py: 2 or 3 prompts, 4 query heads, 2 key/value heads, 6 positions, 4 dimensions,
// 3 value dimensions.

std::filesystem::path dataFile(const std::string& name);  ///< without ".h5"

/// What make_dumps.py stores at prompt p, head h, position n, dimension d; tensors are numbered q 0, k 1, v 2, w_o 3,
/// o 4.
double storedValue(int tensor, int p, int h, kernels::Index n, kernels::Index d);

kernels::Tensor loadTensor(analysis::HeadSource& source, analysis::TensorKind kind, int layer, int prompt, int head);

/// How many entries of a head differ from what was stored.
int wrongEntries(analysis::HeadSource& source, analysis::TensorKind kind, int layer, int prompt, int head);

bool hasWarning(const analysis::DumpInfo& info, const std::string& word);

}  // namespace dimscope::tests
