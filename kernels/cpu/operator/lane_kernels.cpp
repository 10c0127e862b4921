// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cpu/operator/lane_kernels.h"

#include <vector>

namespace dimscope::kernels::cpu {
namespace {

std::vector<const LaneKernels*> lanesOfThisProcessor() {
    std::vector<const LaneKernels*> usable;
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("fma")) usable.push_back(&avx512Lanes());
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) usable.push_back(&avx2Lanes());
#endif
    usable.push_back(&portableLanes());
    return usable;
}

}  // namespace

std::span<const LaneKernels* const> usableLanes() {
    static const std::vector<const LaneKernels*> kUsable = lanesOfThisProcessor();
    return kUsable;
}

}  // namespace dimscope::kernels::cpu
