// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/run_control.h"

#include <gtest/gtest.h>

namespace dimscope::tests {
namespace {

using kernels::Cancelled;
using kernels::RunControl;

TEST(RunControl, CopiesAndSlicesShareTheState) {
    const RunControl control;
    const RunControl slice = control.slice(0.5F, 1.0F).slice(0.0F, 0.5F);
    slice.report(1.0F);
    EXPECT_FLOAT_EQ(control.progress(), 0.75F);
    control.cancel();
    EXPECT_THROW(slice.throwIfCancelled(), Cancelled);
}

TEST(RunControl, ProgressNeverRunsBackwardsAndStaysInRange) {
    const RunControl control;
    control.report(0.6F);
    control.report(0.2F);
    EXPECT_FLOAT_EQ(control.progress(), 0.6F);
    control.report(7.0F);
    EXPECT_FLOAT_EQ(control.progress(), 1.0F);
}

TEST(RunControl, PartsOfASliceFillIt) {
    const RunControl control;
    const RunControl half = control.slice(0.5F, 1.0F);
    half.part(0, 4).report(1.0F);
    EXPECT_FLOAT_EQ(control.progress(), 0.625F);
    half.parts(1, 3, 4).report(0.5F);
    EXPECT_FLOAT_EQ(control.progress(), 0.75F);
    half.part(3, 4).report(1.0F);
    EXPECT_FLOAT_EQ(control.progress(), 1.0F);
}

}  // namespace
}  // namespace dimscope::tests
