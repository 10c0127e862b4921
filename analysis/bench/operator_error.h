// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

#include "analysis/bench/bench_inputs.h"

namespace dimscope::analysis {

/// |out - reference| / |reference| over 64 seeded (head, position) pairs that are dealt out to the heads in turn, the
/// reference being the same kernel pair by pair in double. Rows that are bad there are left out; NaN where none is left
/// or the output is not finite.
double operatorError(const BenchInputs& inputs, const BenchTensors& tensors, Index positions,
                     std::span<const kernels::KernelSpec> specs, const RunControl& control);

/// The same for rows that a backend gave, one entry of `rows` and `outputs` per head.
double rowsError(std::span<const kernels::RowsOutput> outputs, std::span<const kernels::RowsOutput> reference);

}  // namespace dimscope::analysis
