// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cuda_runtime.h>

#include <span>
#include <string>
#include <utility>

#include "kernels/error.h"

namespace dimscope::kernels::cuda {

/// Throws OutOfMemory or DeviceError with the operation's name where `status` is no success.
inline void check(cudaError_t status, const char* operation) {
    if (status == cudaSuccess) return;
    const std::string text = std::string("cuda: ") + operation + ": " + cudaGetErrorString(status);
    if (status == cudaErrorMemoryAllocation) throw OutOfMemory(text);
    throw DeviceError(text);
}

/// Owner of device memory for `size` elements.
template <class T>
class DeviceMemory {
public:
    DeviceMemory() = default;
    explicit DeviceMemory(std::size_t size) : size_(size) {
        if (size > 0) check(cudaMalloc(&data_, size * sizeof(T)), "allocating device memory");
    }
    explicit DeviceMemory(std::span<const T> host) : DeviceMemory(host.size()) {
        check(cudaMemcpy(data_, host.data(), host.size_bytes(), cudaMemcpyHostToDevice), "copying to the device");
    }
    DeviceMemory(DeviceMemory&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
    DeviceMemory& operator=(DeviceMemory&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        return *this;
    }
    ~DeviceMemory() {
        if (data_) cudaFree(data_);
    }

    T* data() const { return data_; }
    std::size_t size() const { return size_; }
    std::size_t bytes() const { return size_ * sizeof(T); }

private:
    T* data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace dimscope::kernels::cuda
