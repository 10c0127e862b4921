// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/backend.h"
#include "kernels/cpu/row_kernel.h"

namespace dimscope::kernels::cpu {

/// One kernel at the rows of a job, in blocks of rows so that memory stays small for any number of them.
RowsOutput attendRows(const KernelSpec& spec, const FloatHead& head, std::span<const Index> rows, bool wantWeights,
                      const RunControl& control);

}  // namespace dimscope::kernels::cpu
