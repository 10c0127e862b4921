// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/backend.h"
#include "kernels/cpu/row_kernel.h"

namespace dimscope::kernels::cpu {

/// Memory of one call, for the next to use again: fresh pages cost as much as the products of 32 rows.
struct RowScratch {
    std::vector<double> filled;
    std::vector<float> weights;
};

/// A kernel prepared on `head` at the rows of a job, in blocks of rows so that memory stays small for any number of
/// them.
RowsOutput attendRows(const KernelSpec& spec, const RowKernel& kernel, const FloatHead& head,
                      std::span<const Index> rows, bool wantWeights, const RunControl& control, RowScratch& scratch);

}  // namespace dimscope::kernels::cpu
