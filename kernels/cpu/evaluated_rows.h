// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/cpu/row_attention.h"

namespace dimscope::kernels::cpu {

/// One kernel at the rows of a job, evaluated as asked for: centred keys, restricted to a subset of dimensions, with an
/// exact part (sections 7, 13.6 and 13.9). `plain` is the head of `job` as it is.
RowsOutput attendRows(const RowsJob& job, std::size_t kernel, const FloatHead& plain, const RunControl& control,
                      RowScratch& scratch);

}  // namespace dimscope::kernels::cpu
