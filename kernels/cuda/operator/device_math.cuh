// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

#include "kernels/cuda/operator/device_tensors.h"

namespace dimscope::kernels::cuda {

__device__ __forceinline__ float toFloat(float x) { return x; }
__device__ __forceinline__ float toFloat(__half x) { return __half2float(x); }
__device__ __forceinline__ float toFloat(__nv_bfloat16 x) { return __bfloat162float(x); }

/// One number of a tensor of any element type. The switch is the same for all threads.
__device__ __forceinline__ float loadElement(const void* data, Element element, std::int64_t at) {
    if (element == Element::BFloat16) return __bfloat162float(static_cast<const __nv_bfloat16*>(data)[at]);
    if (element == Element::Half) return __half2float(static_cast<const __half*>(data)[at]);
    return static_cast<const float*>(data)[at];
}

template <class Number>
__device__ __forceinline__ Number fromFloat(float x);
template <>
__device__ __forceinline__ float fromFloat<float>(float x) {
    return x;
}
template <>
__device__ __forceinline__ __half fromFloat<__half>(float x) {
    return __float2half_rn(x);
}
template <>
__device__ __forceinline__ __nv_bfloat16 fromFloat<__nv_bfloat16>(float x) {
    return __float2bfloat16_rn(x);
}

__device__ __forceinline__ std::uint32_t packHalves(float low, float high) {
    const __half2 both = __floats2half2_rn(low, high);
    return reinterpret_cast<const std::uint32_t&>(both);
}

__device__ __forceinline__ std::uint32_t multiplyHalves(std::uint32_t a, std::uint32_t b) {
    const __half2 product = __hmul2(reinterpret_cast<const __half2&>(a), reinterpret_cast<const __half2&>(b));
    return reinterpret_cast<const std::uint32_t&>(product);
}

/// sum (16 rows, 8 columns) += a (16, 16) b (16, 8), halves in, float out.
__device__ __forceinline__ void multiplyAdd(float (&sum)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                                            std::uint32_t b1) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

/// The left operand (16, 16) from a row-major tile of halves in shared memory, rows 32 bytes apart with their two
/// 16-byte parts changed over every four rows, so that eight rows lie in different banks.
__device__ __forceinline__ std::uint32_t swizzled(int row, int part) {
    return static_cast<std::uint32_t>(row * 32 + ((part ^ (row >> 2 & 1)) * 16));
}
__device__ __forceinline__ void loadLeft(std::uint32_t (&a)[4], const void* tile, int lane) {
    const auto base = static_cast<std::uint32_t>(__cvta_generic_to_shared(tile));
    const std::uint32_t at = base + swizzled(lane & 15, lane >> 4);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
                 : "r"(at));
}

__device__ __forceinline__ void copyAsync16(void* shared, const void* global) {
    const auto to = static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(global));
}
__device__ __forceinline__ void commitCopies() { asm volatile("cp.async.commit_group;"); }
template <int Left>
__device__ __forceinline__ void waitForCopies() {
    asm volatile("cp.async.wait_group %0;" ::"n"(Left));
}

/// 2^-ceil(log2(n + 1)): brings sums over n tokens to the size of one.
__device__ __forceinline__ float stateScale(std::int64_t tokens) { return ldexpf(1.0F, __clzll(tokens) - 64); }

}  // namespace dimscope::kernels::cuda
