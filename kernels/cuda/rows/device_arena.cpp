// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cuda/rows/device_arena.h"

namespace dimscope::kernels::cuda {
namespace {

DeviceMemory<std::byte> asMuchAs(std::size_t bytes, std::size_t least) {
    for (;; bytes = std::max(bytes / 2, least)) {
        try {
            return DeviceMemory<std::byte>(bytes);
        } catch (const OutOfMemory&) {
            cudaGetLastError();  // it is told, and the next size may fit
            if (bytes <= least) throw;
        }
    }
}

}  // namespace

DeviceArena::DeviceArena(std::size_t bytes, std::size_t least) : memory_(asMuchAs(bytes, least)) {}

}  // namespace dimscope::kernels::cuda
