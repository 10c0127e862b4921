// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

namespace dimscope::kernels::cuda {

struct DeviceProbe {
    std::string device;          ///< name of the GPU; empty where there is none
    std::string reasonUnusable;  ///< empty: a kernel ran on it
};

/// One entry per CUDA device, probed by running a tiny kernel on it; one entry with the reason where there is none.
std::vector<DeviceProbe> probeDevices();

}  // namespace dimscope::kernels::cuda
