// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/checks.h"

#include <gtest/gtest.h>

#include "kernels/backend_registry.h"
#include "kernels/kernel_catalog.h"
#include "tests/support/head_cases.h"

namespace dimscope::tests {
namespace {

using namespace kernels;

TEST(Fits, SaysWhyAKernelCannotBe) {
    SpectraFormer spectra;
    EXPECT_EQ(fits(spectra, {10, 48, 48}).reason,
              "spectraformer: head dimension 48 is not a power of two, which its Hadamard transform needs");
    EXPECT_FALSE(fits(Performer{}, {10, 8, 8}).supported);
    const Oal outside{{0, 2}, 2, {1, 0, 0, 0, 0, 0}, 0};
    EXPECT_EQ(fits(outside, {10, 2, 2}).reason, "oal: label 2, expected 0..1");
}

TEST(Fits, RefusesAPermutationThatIsNone) {
    for (KernelSpec spec : allKernels(8, 1))
        if (auto* spectra = std::get_if<SpectraFormer>(&spec)) {
            EXPECT_TRUE(fits(spec, {4, 8, 8}).supported);
            spectra->permutation = std::make_shared<std::vector<int>>(8, 3);
            EXPECT_FALSE(fits(spec, {4, 8, 8}).supported);
        }
}

TEST(Catalog, EveryKernelOfTheVariantIsDescribed) {
    for (const KernelSpec& spec : allKernels(8, 1))
        EXPECT_NE(findKernel(kernelName(spec)), nullptr) << kernelName(spec);
    EXPECT_EQ(kernelCatalog().size(), std::variant_size_v<KernelSpec>);
    EXPECT_EQ(findKernel("no such kernel"), nullptr);
}

TEST(Registry, NamesTheReasonOfABackendThatCannotBeUsed) {
    EXPECT_THROW(makeBackend("abacus"), ArgumentError);
    for (const BackendInfo& info : listBackends())
        if (info.name == "cuda") {
            EXPECT_FALSE(info.reasonUnusable.empty());
            EXPECT_THROW(makeBackend("cuda"), BackendUnavailable);
        }
}

}  // namespace
}  // namespace dimscope::tests
