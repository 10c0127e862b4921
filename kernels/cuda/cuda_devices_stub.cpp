// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cuda/cuda_devices.h"

namespace dimscope::kernels::cuda {

std::vector<DeviceProbe> probeDevices() { return {{"", "this build was made without CUDA"}}; }

}  // namespace dimscope::kernels::cuda
