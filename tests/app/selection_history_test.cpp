// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/core/selection_history.h"

#include <gtest/gtest.h>

namespace dimscope::app {
namespace {

HeadChoice head(int layer, int number) { return {kernels::LayerIndex{layer}, kernels::HeadIndex{number}}; }

TEST(SelectionHistory, goesBackAndForward) {
    SelectionHistory history;
    EXPECT_FALSE(history.canGoBack());
    history.visit(head(5, 0));
    history.visit(head(5, 1));
    history.visit(head(15, 4));
    EXPECT_EQ(history.back(), head(5, 1));
    EXPECT_EQ(history.back(), head(5, 0));
    EXPECT_FALSE(history.canGoBack());
    EXPECT_EQ(history.forward(), head(5, 1));
    EXPECT_TRUE(history.canGoForward());
}

TEST(SelectionHistory, aNewVisitForgetsWhatWasAhead) {
    SelectionHistory history;
    history.visit(head(5, 0));
    history.visit(head(5, 1));
    history.back();
    history.visit(head(25, 8));
    EXPECT_FALSE(history.canGoForward());
    EXPECT_EQ(history.back(), head(5, 0));
}

TEST(SelectionHistory, theSameHeadTwiceIsOneVisit) {
    SelectionHistory history;
    history.visit(head(5, 0));
    history.visit(head(5, 0));
    EXPECT_FALSE(history.canGoBack());
    history.clear();
    EXPECT_FALSE(history.canGoForward());
}

}  // namespace
}  // namespace dimscope::app
