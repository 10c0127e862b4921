// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <list>
#include <memory>
#include <unordered_map>

#include "kernels/cuda/device_memory.h"
#include "kernels/types.h"

namespace dimscope::kernels::cuda {

/// Tensors of dumps in device memory, in float or double, (rows, cols) without gaps. A tensor whose owner is named
/// stays between calls, the least recently used ones leaving beyond the budget; any other stays until the end of the
/// call.
class ResidentTensors {
public:
    explicit ResidentTensors(std::size_t budget) : budget_(budget) {}

    /// Throws BatchFull where the budget holds no more beside what this batch uses, OutOfMemory, DeviceError.
    template <class Real>
    const Real* get(const TensorView& tensor, const TensorOwner& owner, cudaStream_t stream);
    /// What was asked for so far may leave from now on.
    void endBatch() { ++batch_; }
    /// Forgets what has no owner, or none any more.
    void endCall();

private:
    struct Entry {
        TensorView tensor;
        TensorOwner owner;
        bool owned = false;
        std::size_t element = 0;  // bytes of a number
        DeviceMemory<std::byte> memory;
        std::uint64_t batch = 0;
    };
    void makeRoom(std::size_t bytes);
    DeviceMemory<std::byte> allocated(std::size_t bytes);
    std::list<Entry>::iterator find(const TensorView& tensor, const TensorOwner& owner, std::size_t element);
    void drop(std::list<Entry>::iterator entry);
    void dropLast();

    std::size_t budget_, bytes_ = 0;
    std::uint64_t batch_ = 0;
    std::list<Entry> entries_;                                                 // most recently used first
    std::unordered_multimap<const void*, std::list<Entry>::iterator> places_;  // by the tensor's memory
};

}  // namespace dimscope::kernels::cuda
