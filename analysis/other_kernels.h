// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "analysis/parameter_reader.h"
#include "kernels/kernel_spec.h"

namespace dimscope::analysis {

/// ZeroS or a kernel beyond the two papers (sections 8 and 9 of resources/docs/kernels.md) from its group in a
/// parameter file, or its stated start where `file` is null. Empty: no such kernel here. Throws ShapeError.
std::optional<kernels::KernelSpec> otherKernel(const std::string& kernel, const ParameterReader* file,
                                               const KernelRequest& request);

}  // namespace dimscope::analysis
