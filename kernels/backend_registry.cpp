// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/backend_registry.h"

#include "kernels/cpu/cpu_backend.h"
#include "kernels/cuda/cuda_backend.h"
#include "kernels/cuda/cuda_devices.h"
#include "kernels/reference/reference_backend.h"

namespace dimscope::kernels {

std::vector<BackendInfo> listBackends() {
    std::vector<BackendInfo> all = {reference::ReferenceBackend{}.info(), cpu::CpuBackend{0}.info()};
    for (const cuda::DeviceProbe& probe : cuda::probeDevices())
        all.push_back({"cuda", probe.device, probe.reasonUnusable});
    return all;
}

std::vector<std::string_view> backendNames() { return {"reference", "cpu", "cuda"}; }

std::unique_ptr<Backend> makeBackend(std::string_view name, const BackendOptions& options) {
    if (name == "reference") return std::make_unique<reference::ReferenceBackend>();
    if (name == "cpu") return std::make_unique<cpu::CpuBackend>(options.threads);
    if (name != "cuda")
        throw ArgumentError("unknown backend '" + std::string(name) + "', expected reference, cpu or cuda");
    return cuda::makeCudaBackend(options.device);
}

}  // namespace dimscope::kernels
