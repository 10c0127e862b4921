// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/cuda/operator/device_math.cuh"

namespace dimscope::kernels::cuda {

// Products with a right operand in shared memory: matrices of 8 by 8 halves, 128 bytes each, two along the summed
// dimension next to each other, those of the next 8 columns `TileWords` words on. A warp holds 16 rows of the left
// operand in registers, any rows it likes, and the sums as mma.m16n8k16 has them.

/// The same at once, by mma.sync.
template <int TileWords, int Tiles>
__device__ __forceinline__ void multiplyAdd(float (&sums)[Tiles][4], const std::uint32_t (&a)[4],
                                            const std::uint32_t* words, int lane) {
#pragma unroll
    for (int tile = 0; tile < Tiles; ++tile)
        multiplyAdd(sums[tile], a, words[tile * TileWords + lane], words[tile * TileWords + 32 + lane]);
}

// Products that go on while the four warps of a group do other work, where there are such (wgmma of compute capability
// 9.0); at once elsewhere.
//   beginProducts();  multiplyAddLater(..);  multiplyAddLater(..);  endProducts();   // one group
//   waitForProducts<N>();                                                           // all but the latest N are done
// Until then neither sums nor left operands of a group may be touched.
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

__device__ __forceinline__ void beginProducts() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ __forceinline__ void endProducts() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int Left>
__device__ __forceinline__ void waitForProducts() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Left) : "memory");
}

template <int TileWords>
__device__ __forceinline__ std::uint64_t operandDescriptor(const std::uint32_t* words) {
    const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(words));
    return static_cast<std::uint64_t>((address & 0x3FFFFU) >> 4U) | std::uint64_t{128 >> 4} << 16U |
           static_cast<std::uint64_t>(TileWords * 4 >> 4) << 32U;
}

template <int TileWords>
__device__ __forceinline__ void multiplyAddLater(float (&d)[9][4], const std::uint32_t (&a)[4],
                                                 const std::uint32_t* words, int) {
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n72k16.f32.f16.f16 "
        "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,"
        "%29,%30,%31,%32,%33,%34,%35}, {%36,%37,%38,%39}, %40, 1, 1, 1, 0;"
        : "+f"(d[0][0]), "+f"(d[0][1]), "+f"(d[0][2]), "+f"(d[0][3]), "+f"(d[1][0]), "+f"(d[1][1]), "+f"(d[1][2]),
          "+f"(d[1][3]), "+f"(d[2][0]), "+f"(d[2][1]), "+f"(d[2][2]), "+f"(d[2][3]), "+f"(d[3][0]), "+f"(d[3][1]),
          "+f"(d[3][2]), "+f"(d[3][3]), "+f"(d[4][0]), "+f"(d[4][1]), "+f"(d[4][2]), "+f"(d[4][3]), "+f"(d[5][0]),
          "+f"(d[5][1]), "+f"(d[5][2]), "+f"(d[5][3]), "+f"(d[6][0]), "+f"(d[6][1]), "+f"(d[6][2]), "+f"(d[6][3]),
          "+f"(d[7][0]), "+f"(d[7][1]), "+f"(d[7][2]), "+f"(d[7][3]), "+f"(d[8][0]), "+f"(d[8][1]), "+f"(d[8][2]),
          "+f"(d[8][3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(operandDescriptor<TileWords>(words)));
}

#else

__device__ __forceinline__ void beginProducts() {}
__device__ __forceinline__ void endProducts() {}
template <int Left>
__device__ __forceinline__ void waitForProducts() {}

template <int TileWords, int Tiles>
__device__ __forceinline__ void multiplyAddLater(float (&sums)[Tiles][4], const std::uint32_t (&a)[4],
                                                 const std::uint32_t* words, int lane) {
    multiplyAdd<TileWords>(sums, a, words, lane);
}

#endif

}  // namespace dimscope::kernels::cuda
