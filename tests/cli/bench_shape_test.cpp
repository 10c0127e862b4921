// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/bench_shape.h"

#include <gtest/gtest.h>

#include "app/cli/lists.h"

namespace dimscope::app {
namespace {

TEST(BenchShape, HeadsKeyHeadsAndDimensions) {
    const analysis::BenchShape grouped = benchShapeFrom("--shape", "9/3x64");
    EXPECT_EQ(grouped.heads, 9);
    EXPECT_EQ(grouped.kvHeads, 3);
    EXPECT_EQ(grouped.headDim, 64);
    const analysis::BenchShape plain = benchShapeFrom("--shape", "12x80");
    EXPECT_EQ(plain.heads, 12);
    EXPECT_EQ(plain.kvHeads, 12);
    EXPECT_EQ(plain.headDim, 80);
}

TEST(BenchShape, AnythingElseIsRefusedByNameAndText) {
    for (const char* text : {"",       "x",      "9",        "9x",      "x64",      "9/x64",          "/3x64",
                             "9/3",    "9/3x",   "9/3x64x2", "9x64/3",  "-9x64",    "9/0x64",         "0x64",
                             "9 x 64", "9/3X64", "9/2x64",   "2000x64", "9/3x5000", "9/3x99999999999"}) {
        try {
            benchShapeFrom("--shape", text);
            ADD_FAILURE() << "accepted '" << text << "'";
        } catch (const UsageError& error) {
            EXPECT_NE(std::string(error.what()).find("--shape '"), std::string::npos) << error.what();
        }
    }
}

}  // namespace
}  // namespace dimscope::app
