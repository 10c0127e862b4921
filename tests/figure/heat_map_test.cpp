// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <cmath>

#include "io/figure/heat_map_image.h"

namespace dimscope::io {
namespace {

using analysis::ColourMap;
using analysis::ColourScale;
using analysis::HeatMap;

HeatMap mapOf(std::vector<float> values, kernels::Index rows, kernels::Index cols) {
    HeatMap map;
    map.values = std::make_shared<const kernels::Matrix<float>>(rows, cols, std::move(values));
    return map;
}

TEST(ColourPosition, FollowsTheScale) {
    HeatMap map;
    EXPECT_DOUBLE_EQ(colourPosition(map, 0.25), 0.25);
    EXPECT_DOUBLE_EQ(colourPosition(map, 7.0), 1.0);
    EXPECT_TRUE(std::isnan(colourPosition(map, std::nan(""))));
    map.scale = ColourScale::Log;
    map.from = 1e-4;
    EXPECT_NEAR(colourPosition(map, 1e-2), 0.5, 1e-12);
    EXPECT_DOUBLE_EQ(colourPosition(map, 0.0), 0.0);  // below the scale, not lost
    map.scale = ColourScale::SquareRoot;
    map.from = -1.0;
    EXPECT_NEAR(colourPosition(map, 0.0), 0.5, 1e-12);
    EXPECT_NEAR(colourPosition(map, -0.25), 0.25, 1e-12);
}

TEST(HeatMapImage, RowZeroOnTopAndMissingTransparent) {
    const HeatMap map = mapOf({0.0F, 1.0F, std::nanf(""), 0.5F}, 2, 2);
    const QImage image = heatMapImage(map, 0, 2, QSize(4, 4));
    EXPECT_EQ(image.pixel(0, 0) & 0xFFFFFF, 0x00224Eu);
    EXPECT_EQ(image.pixel(3, 1) & 0xFFFFFF, 0xFEE838u);
    EXPECT_EQ(qAlpha(image.pixel(0, 3)), 0);
    EXPECT_EQ(qAlpha(image.pixel(3, 3)), 255);
}

TEST(HeatMapImage, LargestMagnitudeOfThePixelIsShown) {
    HeatMap map = mapOf({0.1F, -0.9F, std::nanf(""), 0.2F}, 1, 4);
    map.map = ColourMap::BlueWhiteVermilion;
    map.from = -1.0;
    const QImage image = heatMapImage(map, 0, 4, QSize(2, 1));
    EXPECT_LT(qRed(image.pixel(0, 0)), 60);          // -0.9: blue
    EXPECT_EQ(qRed(image.pixel(1, 0)) > 200, true);  // 0.2: pale vermilion, the missing one does not hide it
    EXPECT_EQ(qAlpha(image.pixel(1, 0)), 255);
}

TEST(ColourTicks, BordersSayWhenValuesLieBeyondThem) {
    HeatMap map = mapOf({1e-6F, 0.5F}, 1, 2);
    map.scale = ColourScale::Log;
    map.from = 1e-4;
    map.to = 0.1;
    const auto ticks = colourTicks(map);
    ASSERT_EQ(ticks.size(), 4u);
    EXPECT_EQ(ticks.front().label, "≤ 10⁻⁴");
    EXPECT_EQ(ticks.back().label, "≥ 10⁻¹");
    map = mapOf({0.25F, 0.75F}, 1, 2);
    EXPECT_EQ(colourTicks(map).back().label, "1");
}

}  // namespace
}  // namespace dimscope::io
