// SPDX-License-Identifier: GPL-3.0-or-later
#include <cuda_runtime.h>

#include "kernels/cuda/cuda_devices.h"

namespace dimscope::kernels::cuda {
namespace {

__global__ void addOne(int* value) { *value += 1; }

std::string failed(const char* operation, cudaError_t status) {
    return std::string(operation) + ": " + cudaGetErrorString(status);
}

/// Empty where a kernel ran on the device and gave the right answer.
std::string reasonUnusable(int device) {
    int* value = nullptr;
    int answer = 41;
    if (const auto status = cudaSetDevice(device); status != cudaSuccess) return failed("choosing the device", status);
    if (const auto status = cudaMalloc(&value, sizeof(int)); status != cudaSuccess)
        return failed("allocating device memory", status);
    cudaMemcpy(value, &answer, sizeof(int), cudaMemcpyHostToDevice);
    addOne<<<1, 1>>>(value);
    cudaError_t status = cudaGetLastError();
    if (status == cudaSuccess) status = cudaMemcpy(&answer, value, sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(value);
    if (status != cudaSuccess) return failed("running a kernel", status);
    if (answer != 42) return "a test kernel gave a wrong answer";
    return "";
}

}  // namespace

std::vector<DeviceProbe> probeDevices() {
    int count = 0;
    if (const auto status = cudaGetDeviceCount(&count); status != cudaSuccess)
        return {{"", failed("looking for devices", status)}};
    if (count == 0) return {{"", "no CUDA device"}};
    std::vector<DeviceProbe> devices;
    for (int device = 0; device < count; ++device) {
        cudaDeviceProp properties{};
        const bool known = cudaGetDeviceProperties(&properties, device) == cudaSuccess;
        devices.push_back({known ? properties.name : "device " + std::to_string(device), reasonUnusable(device)});
    }
    return devices;
}

}  // namespace dimscope::kernels::cuda
