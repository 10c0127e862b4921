// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "tests/cli/finished_program.h"
#include "tests/support/wall_clock.h"

namespace dimscope::tests {
namespace {

using std::chrono::milliseconds;

/// All rows of all heads on the slow backend take minutes: the interrupt always comes in the middle.
TEST(CliInterrupt, StopsWithinASecondAndLeavesNoFile) {
    for (const milliseconds after : {milliseconds(100), milliseconds(700)}) {
        const TemporaryFolder folder;
        const FinishedProgram program =
            runCli({"compare", samplePath(), "--backend", "reference", "--rows", "all", "--kernels", "performer,taylor",
                    "--out", folder.file("t.csv"), "--outputs", folder.file("y.h5"), "--json"},
                   after * kSlowdown);
        EXPECT_EQ(program.exitCode, 130) << program.err;
        EXPECT_LT(program.afterInterrupt, milliseconds(1000) * kSlowdown);
        EXPECT_EQ(program.out, "");
        EXPECT_TRUE(folder.empty());
    }
}

}  // namespace
}  // namespace dimscope::tests
