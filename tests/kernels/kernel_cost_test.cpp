// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/kernel_cost.h"

#include <gtest/gtest.h>

#include "kernels/kernel_catalog.h"
#include "tests/support/head_cases.h"

namespace dimscope::tests {
namespace {

using namespace kernels;

constexpr HeadShape kHead{.rows = 4096, .headDim = 64, .valueDim = 64};

TEST(KernelCost, QuadraticKernelsHaveThePackedState) {
    const KernelCost taylor = kernelCost(Taylor{}, kHead);
    EXPECT_EQ(taylor.features, 2145);  // 1 + 64 + 64 65 / 2
    EXPECT_EQ(taylor.stateEntries, 139425);
    EXPECT_EQ(kernelCost(Oal{std::vector<int>(64, 0), 4, {}, 1e-6}, kHead).learned, 15);
    EXPECT_EQ(kernelCost(GlobalQuadratic{}, kHead).learned, 3);
}

TEST(KernelCost, FeatureMaps) {
    EXPECT_EQ(kernelCost(Elu{}, kHead).stateEntries, 64 * 65);
    EXPECT_EQ(kernelCost(Hedgehog{}, kHead).features, 128);
    EXPECT_EQ(kernelCost(Hedgehog{}, kHead).learned, 64 * 64);
    EXPECT_EQ(kernelCost(Lolcats{}, kHead).stateEntries, 128 * 65 + 64 * 128);
    EXPECT_EQ(kernelCost(RetNet{}, kHead).stateEntries, 64 * 64);  // no denominator
}

TEST(KernelCost, WithoutALinearFormPairsAreCounted) {
    for (const KernelSpec& spec : {KernelSpec(Softmax{}), KernelSpec(ZerosSm{}), KernelSpec(Power{4})}) {
        EXPECT_FALSE(kernelCost(spec, kHead).features) << kernelName(spec);
        EXPECT_EQ(kernelCost(spec, kHead).flopsPerToken, 4096.0 * 128.0) << kernelName(spec);
    }
}

TEST(KernelCost, WhatIsLearnedIsWhatTheCatalogCallsTrained) {
    for (const KernelSpec& spec : allKernels(8, 1))
        EXPECT_EQ(kernelCost(spec, {16, 8, 8}).learned > 0, findKernel(kernelName(spec))->trained) << kernelName(spec);
}

}  // namespace
}  // namespace dimscope::tests
