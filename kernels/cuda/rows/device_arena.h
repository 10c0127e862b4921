// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/cuda/device_memory.h"

namespace dimscope::kernels::cuda {

/// There is no room left beside what the batch has already: run the batch and ask again. Never leaves the backend.
struct BatchFull {};

/// One piece of device memory, dealt out from its start and taken back as a whole.
class DeviceArena {
public:
    /// As much of `bytes` as the device has, halved until it does, but not less than `least`. Throws OutOfMemory.
    DeviceArena(std::size_t bytes, std::size_t least);
    /// Room for `count` numbers, not initialised. Throws BatchFull.
    template <class T>
    T* take(std::int64_t count) {
        return reinterpret_cast<T*>(memory_.data() + reserve(static_cast<std::size_t>(count) * sizeof(T)));
    }
    std::byte* start() const { return memory_.data(); }
    std::size_t used() const { return used_; }
    void release(std::size_t used = 0) { used_ = used; }

private:
    std::size_t reserve(std::size_t bytes) {
        constexpr std::size_t kAlignment = 256;
        if (bytes > memory_.size() - used_) throw BatchFull{};
        const std::size_t at = used_;
        used_ = std::min(memory_.size(), (used_ + bytes + kAlignment - 1) / kAlignment * kAlignment);
        return at;
    }
    DeviceMemory<std::byte> memory_;
    std::size_t used_ = 0;
};

/// Pinned host memory and device memory of the same size: what stands in one goes to the other in a single copy.
class MirroredArena {
public:
    explicit MirroredArena(std::size_t bytes) : device_(bytes, bytes) {
        check(cudaMallocHost(&host_, bytes), "allocating pinned memory");
    }
    MirroredArena(const MirroredArena&) = delete;
    MirroredArena& operator=(const MirroredArena&) = delete;
    ~MirroredArena() { cudaFreeHost(host_); }

    /// Room on both sides: write (or, after `download`, read) at hostOf of it.
    template <class T>
    T* take(std::int64_t count) {
        return device_.take<T>(count);
    }
    /// The place on the device of what is copied to the mirror here.
    template <class T>
    const T* stage(std::span<const T> values) {
        T* place = take<T>(static_cast<std::int64_t>(values.size()));
        std::copy(values.begin(), values.end(), hostOf(place));
        return place;
    }
    template <class T>
    T* hostOf(const T* place) {
        return reinterpret_cast<T*>(host_ + (reinterpret_cast<const std::byte*>(place) - start()));
    }
    void upload(cudaStream_t stream) {
        check(cudaMemcpyAsync(start(), host_, device_.used(), cudaMemcpyHostToDevice, stream), "copying to the device");
    }
    void download(cudaStream_t stream) {
        check(cudaMemcpyAsync(host_, start(), device_.used(), cudaMemcpyDeviceToHost, stream),
              "copying from the device");
    }
    std::size_t used() const { return device_.used(); }
    void release(std::size_t used = 0) { device_.release(used); }

private:
    std::byte* start() const { return device_.start(); }
    DeviceArena device_;
    std::byte* host_ = nullptr;
};

}  // namespace dimscope::kernels::cuda
