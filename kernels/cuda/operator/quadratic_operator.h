// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <memory>
#include <span>

#include "kernels/cuda/operator/device_tensors.h"
#include "kernels/kernel_spec.h"
#include "kernels/run_control.h"

namespace dimscope::kernels::cuda {

/// What a layer's KV heads carry from one stretch of a sequence to the next, in device memory.
class QuadraticState {
public:
    QuadraticState();
    QuadraticState(QuadraticState&&) noexcept;
    QuadraticState& operator=(QuadraticState&&) noexcept;
    ~QuadraticState();
    std::int64_t positions() const;

private:
    friend class QuadraticOperator;
    struct Content;
    std::unique_ptr<Content> content_;
};

/// The grouped quadratic kernel (section 5 of resources/docs/kernels.md; the global quadratic is G = 1) of whole
/// sequences: halves in, float sums, O(rows head_dim^2 value_dim / 2) per head. Keys are centred and everything is
/// scaled by powers of two, so the error against double stays under 1e-3 of the output's RMS.
/// head_dim and value_dim up to 64, up to 8 groups, devices of compute capability 8.0 and up. Times:
/// resources/docs/gpu.md.
class QuadraticOperator {
public:
    /// One specification per query head; query head h reads KV head h / (heads / kvHeads). logit = scale q.k.
    /// Throws ShapeError, OutOfMemory, DeviceError.
    QuadraticOperator(std::span<const Oal> heads, int kvHeads, double scale);
    ~QuadraticOperator();

    /// Puts the work on `stream` and returns; the memory of `sequence` and `bad` must live until it is done.
    /// `bad`: (query heads, rows) in device memory, 1 where no denominator or output is usable; NaN stands there.
    /// `state`: continued, and replaced by what follows; null: a sequence of its own.
    void run(const DeviceSequence& sequence, std::uint8_t* bad, QuadraticState* state, cudaStream_t stream,
             const RunControl& control);

    /// Device memory that it holds, inputs and outputs not counted.
    std::size_t workspaceBytes() const;

private:
    struct Workspace;
    std::unique_ptr<Workspace> workspace_;
};

}  // namespace dimscope::kernels::cuda
