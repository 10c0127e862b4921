// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cuda_runtime.h>

#include "kernels/cuda/operator/device_tensors.h"
#include "kernels/cuda/operator/prepared_keys.h"
#include "kernels/cuda/operator/quadratic_plan.h"

namespace dimscope::kernels::cuda {

/// Scalings from the first tokens of a sequence.
void measureKeys(const DeviceSequence& sequence, const KvPlan* plan, KeyScaling* scaling, cudaStream_t stream);

/// Tokens [first, first + count) of the sequence, zeros behind them.
void prepareKeys(const DeviceSequence& sequence, std::int64_t first, std::int64_t count, const KvPlan* plan,
                 const KeyScaling* scaling, const PreparedKeys& prepared, cudaStream_t stream);

}  // namespace dimscope::kernels::cuda
