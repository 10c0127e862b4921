// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/cuda/operator/device_math.cuh"

namespace dimscope::kernels::cuda {

/// One or two long arrays on their way through shared memory, `First` and `Second` words at a time, `Stages` of these
/// in flight. The first thread fetches with the bulk copy engine where there is one, all threads together elsewhere.
/// Every warp of the block calls next() `count` times; what it returned may be read until the warp's call after the
/// following one, so that products of the latest stage need not be waited for.
template <int Stages, int Threads, int First, int Second = 0>
class StageRing {
    static constexpr int Words = First + Second;
    static_assert(First % 4 == 0 && Second % 4 == 0 && Stages >= 3);

public:
    struct alignas(128) Memory {
        std::uint32_t words[Stages][Words];
        std::uint64_t full[Stages], empty[Stages];
    };

    /// Threads meet in here.
    __device__ StageRing(Memory& memory, int count, const std::uint32_t* first, const std::uint32_t* second = nullptr)
        : memory_(memory), first_(first), second_(second), count_(count) {
#if __CUDA_ARCH__ >= 900
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
        __syncthreads();  // whoever used the memory before is done
#if __CUDA_ARCH__ >= 900
        if (threadIdx.x == 0) {
            for (int n = 0; n < Stages; ++n) {
                initialise(memory_.full[n], 1);
                initialise(memory_.empty[n], Threads / 32);
            }
            asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        }
        __syncthreads();
        if (threadIdx.x == 0)
            for (int n = 0; n < Stages; ++n) fetch(n);
#else
        for (int n = 0; n < Stages - 2; ++n) fetch(n);
#endif
    }

    __device__ __forceinline__ const std::uint32_t* next() {
#if __CUDA_ARCH__ >= 900
        if (step_ > 1) {
            const int done = slot_ >= 2 ? slot_ - 2 : slot_ + Stages - 2;
            __syncwarp();
            if (threadIdx.x % 32 == 0) arrive(memory_.empty[done]);
            if (threadIdx.x == 0 && step_ - 2 + Stages < count_) {
                wait(memory_.empty[done], slot_ >= 2 ? phase_ : phase_ ^ 1U);
                fetchInto(done, step_ - 2 + Stages);
            }
        }
        wait(memory_.full[slot_], phase_);
#else
        waitForCopies<Stages - 3>();
        __syncthreads();
        fetch(step_ + Stages - 2);
#endif
        const std::uint32_t* words = memory_.words[slot_];
        ++step_;
        if (++slot_ == Stages) {
            slot_ = 0;
            phase_ ^= 1U;
        }
        return words;
    }

private:
#if __CUDA_ARCH__ >= 900
    static __device__ __forceinline__ std::uint32_t address(const void* shared) {
        return static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
    }
    static __device__ void initialise(std::uint64_t& barrier, int arrivals) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address(&barrier)), "r"(arrivals) : "memory");
    }
    static __device__ __forceinline__ void arrive(std::uint64_t& barrier) {
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address(&barrier)) : "memory");
    }
    static __device__ __forceinline__ void wait(std::uint64_t& barrier, std::uint32_t phase) {
        asm volatile(
            "{\n.reg .pred done;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n@!done bra "
            "again;\n}" ::"r"(address(&barrier)),
            "r"(phase)
            : "memory");
    }
    __device__ void fetch(int number) {
        if (number < count_) fetchInto(number, number);
    }
    __device__ __forceinline__ void fetchInto(int slot, int number) {
        constexpr int bytes = Words * 4;
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address(&memory_.full[slot])),
                     "n"(bytes)
                     : "memory");
        copyBulk<First>(slot, 0, first_ + std::int64_t{number} * First);
        if constexpr (Second > 0) copyBulk<Second>(slot, First, second_ + std::int64_t{number} * Second);
    }
    template <int Count>
    __device__ __forceinline__ void copyBulk(int slot, int at, const std::uint32_t* from) {
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                         address(memory_.words[slot] + at)),
                     "l"(from), "n"(4 * Count), "r"(address(&memory_.full[slot]))
                     : "memory");
    }
#else
    __device__ void fetch(int number) {
        if (number < count_)
            for (int n = 4 * static_cast<int>(threadIdx.x); n < Words; n += 4 * Threads)
                copyAsync16(memory_.words[number % Stages] + n,
                            n < First ? first_ + std::int64_t{number} * First + n
                                      : second_ + std::int64_t{number} * Second + n - First);
        commitCopies();
    }
#endif
    Memory& memory_;
    const std::uint32_t *first_, *second_;
    int count_, step_ = 0, slot_ = 0;
    std::uint32_t phase_ = 0;
};

}  // namespace dimscope::kernels::cuda
