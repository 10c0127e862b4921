// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cuda/cuda_backend.h"
#include "kernels/cuda/cuda_devices.h"
#include "kernels/error.h"

namespace dimscope::kernels::cuda {

std::vector<DeviceProbe> probeDevices() { return {{"", "this build was made without CUDA"}}; }

std::unique_ptr<Backend> makeCudaBackend(int, const MemoryLimits&) {
    throw BackendUnavailable("cuda: " + probeDevices().front().reasonUnusable + "; choose cpu or reference");
}

}  // namespace dimscope::kernels::cuda
