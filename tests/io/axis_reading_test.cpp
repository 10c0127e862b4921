// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/dump/axis_reading.h"

#include <gtest/gtest.h>

#include "kernels/error.h"

namespace dimscope::tests {
namespace {

using namespace io;

const FilePlace kPlace{"dump.h5", "/q"};

std::string decided(const Sizes& q, const Sizes& k, const AxisHints& hints = {}) {
    return axesText(decideAxes(q, k, {}, hints, kPlace).axes);
}

TEST(AxisReading, TheAxisThatDiffersCountsHeads) {
    EXPECT_EQ(decided({2, 4, 48, 16}, {2, 2, 48, 16}), "prompt head pos dim");
    EXPECT_EQ(decided({2, 48, 4, 16}, {2, 48, 2, 16}), "prompt pos head dim");
    EXPECT_EQ(decided({4, 48, 16}, {2, 48, 16}), "head pos dim");
    EXPECT_EQ(decided({3, 2, 4, 48, 16}, {3, 2, 2, 48, 16}), "layer prompt head pos dim");
}

TEST(AxisReading, StatedSizesDecide) {
    AxisHints hints;
    hints.nHeads = 4;
    hints.nKvHeads = 2;
    hints.headDim = 16;
    EXPECT_EQ(decided({2, 48, 64}, {2, 48, 32}, hints), "prompt pos head*dim");
    EXPECT_EQ(decided({16, 48, 4, 2}, {16, 48, 2, 2}, hints), "dim pos head prompt");
}

TEST(AxisReading, ManyMorePositionsThanHeadsIsAssumedAndSaid) {
    const AxisDecision decision = decideAxes({2, 4, 48, 16}, {2, 4, 48, 16}, {}, {}, kPlace);
    EXPECT_EQ(axesText(decision.axes), "prompt head pos dim");
    EXPECT_TRUE(decision.assumed);
}

TEST(AxisReading, TheFormatsOwnOrderNeedsNoEvidence) {
    AxisHints hints;
    hints.formatStated = true;
    EXPECT_EQ(decided({2, 14, 16, 16}, {2, 14, 16, 16}, hints), "prompt head pos dim");
}

TEST(AxisReading, TwoReadingsAreAQuestion) {
    EXPECT_THROW(decided({2, 16, 14, 16}, {2, 16, 14, 16}), kernels::FormatError);
    EXPECT_THROW(decided({4, 48, 16}, {4, 48, 16}), kernels::FormatError);
    EXPECT_THROW(decided({16, 48, 4, 2}, {16, 48, 2, 2}), kernels::FormatError);
    EXPECT_THROW(decided({2, 48, 64}, {2, 48, 32}), kernels::FormatError);
}

TEST(AxisReading, WordsOfTheAttributeAreChecked) {
    EXPECT_EQ(axesText(axesFromText("prompt pos head*dim", 3, kPlace)), "prompt pos head*dim");
    EXPECT_THROW(axesFromText("foo bar", 2, kPlace), kernels::FormatError);
    EXPECT_THROW(axesFromText("pos pos", 2, kPlace), kernels::FormatError);
    EXPECT_THROW(axesFromText("pos dim", 3, kPlace), kernels::FormatError);
    EXPECT_FALSE(axesFromLabels({"x", "y"}).has_value());
    EXPECT_EQ(axesText(*axesFromLabels({"batch", "token", "heads", "d_head"})), "prompt pos head dim");
}

}  // namespace
}  // namespace dimscope::tests
