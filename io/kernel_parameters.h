// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "analysis/provenance.h"
#include "kernels/parameter_set.h"

namespace dimscope::io {

/// Reads a kernel-parameter file (format 2) without interpreting it: every dataset and attribute below /layers/LL/NAME,
/// /bootstrap/indices and /positions. Throws FileError, FormatError.
std::shared_ptr<const kernels::ParameterSet> readKernelParameters(const std::filesystem::path& path,
                                                                  std::vector<analysis::Warning>& warnings);
/// Writes format 2, beside and renamed. Integral arrays ("label", "groups", "perm", indices, positions) as int32, the
/// rest float64.
void writeKernelParameters(const kernels::ParameterSet& parameters, const std::filesystem::path& path);

}  // namespace dimscope::io
