// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/figure/label_layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace dimscope::io {
namespace {

TEST(SpreadLabels, LeavesRoomyOnesAlone) {
    EXPECT_EQ(spreadLabels({10.0, 50.0, 30.0}, 14.0, 0.0, 100.0), (std::vector<double>{10.0, 50.0, 30.0}));
}

TEST(SpreadLabels, PushesApartAroundTheMiddle) {
    EXPECT_EQ(spreadLabels({50.0, 50.0, 50.0}, 14.0, 0.0, 100.0), (std::vector<double>{36.0, 50.0, 64.0}));
}

TEST(SpreadLabels, CrowdedOnesNeverOverlapAndKeepTheirOrder) {
    std::mt19937 random(11);
    std::uniform_real_distribution<double> place(60.0, 80.0);
    for (std::size_t count : {1u, 2u, 7u, 12u}) {
        std::vector<double> wanted(count);
        for (double& y : wanted) y = place(random);
        const std::vector<double> placed = spreadLabels(wanted, 14.0, 0.0, 200.0);
        for (std::size_t i = 0; i < count; ++i) {
            EXPECT_GE(placed[i], 0.0);
            EXPECT_LE(placed[i], 200.0);
            for (std::size_t j = 0; j < count; ++j)
                EXPECT_TRUE(wanted[i] >= wanted[j] || placed[j] - placed[i] >= 14.0 - 1e-9) << count;
        }
    }
}

TEST(SpreadLabels, WithoutEnoughRoomTheyStartAtTheTopAndStillDoNotOverlap) {
    const std::vector<double> placed = spreadLabels({5.0, 5.0, 5.0}, 14.0, 0.0, 20.0);
    EXPECT_EQ(placed, (std::vector<double>{0.0, 14.0, 28.0}));
}

TEST(SpreadLabels, NothingIsNothing) { EXPECT_TRUE(spreadLabels({}, 14.0, 0.0, 20.0).empty()); }

TEST(FirstFree, TakesTheFirstCandidateThatTouchesNothing) {
    const std::vector<QRectF> taken{{0, 0, 10, 10}};
    EXPECT_EQ(firstFree({{5, 5, 10, 10}, {20, 0, 10, 10}, {40, 0, 10, 10}}, taken), QRectF(20, 0, 10, 10));
    EXPECT_EQ(firstFree({{5, 5, 10, 10}}, taken), QRectF(5, 5, 10, 10));
}

TEST(StackLabels, MovesAwayFromEarlierOnesOrGivesUp) {
    const QRectF rect(0, 0, 10, 10);
    const auto placed = stackLabels({rect, rect, rect, rect}, {-1.0, -1.0, -1.0, -1.0}, 2);
    EXPECT_EQ(placed[0], rect);
    EXPECT_EQ(placed[1].top(), -10.0);
    EXPECT_EQ(placed[2].top(), -20.0);
    EXPECT_TRUE(placed[3].isNull());
}

}  // namespace
}  // namespace dimscope::io
