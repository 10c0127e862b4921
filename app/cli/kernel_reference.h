// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "kernels/kernel_catalog.h"
#include "kernels/kernel_cost.h"

namespace dimscope::app {

/// A head of common size: whether a backend has a kernel, and what it costs, is asked for this one.
inline constexpr kernels::HeadShape kCommonHead{.rows = 1024, .headDim = 64, .valueDim = 64};

/// A kernel as it starts on the first head of a layer of that size.
kernels::KernelSpec commonSpec(const kernels::KernelDescriptor& kernel);

/// Markdown: every kernel with formula, source, cost, limits and parameters, as the descriptors have them. It is the
/// last section of resources/docs/kernels.md.
std::string kernelReference();

}  // namespace dimscope::app
