// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <memory>

#include "kernels/backend.h"

namespace dimscope::kernels::cuda {

/// Device memory that a backend takes, in bytes.
struct MemoryLimits {
    std::size_t scratch = std::size_t{2} << 30;  ///< for work in progress; less where the device has less
    std::size_t tensors = 0;                     ///< for tensors of dumps; 0: half of what is free at the start
};

/// Rows and profiles of every kernel on one GPU. Tensors whose owner is known stay on the device between calls, the
/// least recently used leaving beyond the limit. Throws BackendUnavailable with the reason.
std::unique_ptr<Backend> makeCudaBackend(int device, const MemoryLimits& limits = {});

}  // namespace dimscope::kernels::cuda
