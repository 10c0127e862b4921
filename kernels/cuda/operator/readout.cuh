// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cuda_runtime.h>

#include "kernels/cuda/operator/device_tensors.h"
#include "kernels/cuda/operator/prepared_keys.h"
#include "kernels/cuda/operator/quadratic_plan.h"

namespace dimscope::kernels::cuda {

/// One slab of outputs.
struct ReadoutJob {
    DeviceSequence sequence;
    const HeadPlan* heads = nullptr;
    const KvPlan* kv = nullptr;
    const KeyScaling* scaling = nullptr;
    PreparedKeys prepared;
    const std::uint32_t* before = nullptr;    ///< SlabStates::before
    int chunkBlocks = 1, stored = 0;          ///< as in SlabStates
    int fromChunk = 0;                        ///< blocks before this one see all keys of the slab by pairs, no state
    std::int64_t position = 0;                ///< tokens before the slab, those of an earlier stretch included
    std::int64_t first = 0, count = 0;        ///< rows of the sequence
    int mostSlices = 0, correlatedBlock = 0;  ///< of the QuadraticPlan
    std::uint8_t* bad = nullptr;  ///< (query heads, rows) 1: no usable denominator or output; NaN is written
};

/// Outputs of the slab's rows: (state readout + pairs inside the chunk), divided.
void readOut(const ReadoutJob& job, cudaStream_t stream);

}  // namespace dimscope::kernels::cuda
