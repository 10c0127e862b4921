// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>

#include "kernels/cuda/cuda_devices.h"

namespace dimscope::tests {

/// Tests that need a GPU: they skip with the reason where none is usable; REQUIRE_GPU=1 in the environment makes that a
/// failure.
class RequiredGpu : public testing::Test {
protected:
    void SetUp() override {
        const std::string reason = kernels::cuda::probeDevices().front().reasonUnusable;
        if (reason.empty()) return;
        const char* required = std::getenv("REQUIRE_GPU");
        ASSERT_FALSE(required && std::string(required) == "1") << reason;
        GTEST_SKIP() << reason;
    }
};

}  // namespace dimscope::tests
