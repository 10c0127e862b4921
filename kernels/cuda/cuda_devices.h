// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "kernels/backend.h"

namespace dimscope::kernels::cuda {

/// One entry per CUDA device, probed by running a tiny kernel on it; one entry with the reason where there is none.
std::vector<BackendInfo> probeDevices();

}  // namespace dimscope::kernels::cuda
