// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/highlight.h"

#include <gtest/gtest.h>

namespace dimscope::app {
namespace {

TEST(Highlight, sortsBrushedDimensionsAndTellsOnlyOfChanges) {
    Highlight highlight;
    int changes = 0;
    QObject::connect(&highlight, &Highlight::changed, [&] { ++changes; });
    highlight.brush({58, 26, 58});
    EXPECT_EQ(highlight.brushed(), (std::vector<int>{26, 58}));
    highlight.brush({26, 58});
    EXPECT_EQ(changes, 1);
}

TEST(Highlight, aLockedDimensionStaysWhenThePointerLeaves) {
    Highlight highlight;
    highlight.hover(3);
    highlight.lock(7);
    highlight.hover(-1);
    EXPECT_EQ(highlight.hovered(), 7);
    highlight.lock(7);
    EXPECT_EQ(highlight.hovered(), -1);
}

TEST(Highlight, releasesTheLockFirstThenTheBrush) {
    Highlight highlight;
    highlight.brush({1, 2});
    highlight.lock(5);
    EXPECT_TRUE(highlight.release());
    EXPECT_EQ(highlight.hovered(), -1);
    EXPECT_FALSE(highlight.brushed().empty());
    EXPECT_TRUE(highlight.release());
    EXPECT_TRUE(highlight.brushed().empty());
    EXPECT_FALSE(highlight.release());
}

}  // namespace
}  // namespace dimscope::app
