// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/axis_ticks.h"

#include <gtest/gtest.h>

#include <cmath>

namespace dimscope::io {
namespace {

using analysis::Axis;
using analysis::AxisScale;
using analysis::TickFormat;

struct Case {
    double from, to;
    AxisScale scale;
    int most;
    std::vector<double> ticks;
};

TEST(AxisTicks, AreWhatAPersonWouldChoose) {
    const std::vector<Case> cases{
        {0.0, 1.0, AxisScale::Linear, 5, {0.0, 0.5, 1.0}},
        {0.0, 1.0, AxisScale::Linear, 6, {0.0, 0.2, 0.4, 0.6, 0.8, 1.0}},
        {-13.0, 12.0, AxisScale::Linear, 5, {-10.0, -5.0, 0.0, 5.0, 10.0}},
        {12.0, -13.0, AxisScale::Linear, 5, {-10.0, -5.0, 0.0, 5.0, 10.0}},
        {0.0, 0.17, AxisScale::Linear, 5, {0.0, 0.05, 0.1, 0.15}},
        {0.0, 512.0, AxisScale::Linear, 5, {0.0, 200.0, 400.0}},
        {0.2, 1.6, AxisScale::Log, 5, {0.2, 0.5, 1.0}},
        {0.4, 1.6, AxisScale::Log, 5, {0.5, 0.7, 1.0, 1.5}},
        {0.003, 0.2, AxisScale::Log, 5, {0.005, 0.01, 0.02, 0.05, 0.1, 0.2}},
        {1e-4, 0.1, AxisScale::Log, 5, {1e-4, 1e-3, 1e-2, 1e-1}},
        {1e-9, 1.0, AxisScale::Log, 5, {1e-8, 1e-6, 1e-4, 1e-2, 1.0}},
        {1.0, 1.2, AxisScale::Log, 5, {1.0, 1.05, 1.1, 1.15, 1.2}},
    };
    for (const Case& c : cases) {
        Axis axis;
        axis.from = c.from;
        axis.to = c.to;
        axis.scale = c.scale;
        const std::vector<double> ticks = chooseTicks(axisMap(axis, 0.0, 100.0), c.most);
        EXPECT_LE(ticks.size(), static_cast<std::size_t>(c.most));
        if (c.ticks.size() > static_cast<std::size_t>(c.most)) continue;  // then any thinner choice will do
        ASSERT_EQ(ticks.size(), c.ticks.size()) << c.from << " to " << c.to;
        for (std::size_t i = 0; i < ticks.size(); ++i) EXPECT_NEAR(ticks[i], c.ticks[i], 1e-9 * std::abs(c.to));
    }
}

TEST(AxisTicks, LastPercentageCarriesTheSign) {
    Axis axis;
    axis.to = 0.17;
    axis.format = TickFormat::Percent;
    const auto ticks = axisTicks(axis, axisMap(axis, 0.0, 1.0), 5);
    ASSERT_EQ(ticks.size(), 4u);
    EXPECT_EQ(ticks[1].label, "5");
    EXPECT_EQ(ticks[3].label, "15 %");
}

TEST(AxisTicks, OwnTicksAndNamesAreKeptButNotOutsideTheRange) {
    Axis axis;
    axis.to = 2.0;
    axis.ticks = {0.0, 1.0, 3.0};
    axis.tickLabels = {"a", "b", "c"};
    const auto ticks = axisTicks(axis, axisMap(axis, 0.0, 1.0), 5);
    ASSERT_EQ(ticks.size(), 2u);
    EXPECT_EQ(ticks[1].label, "b");
}

TEST(AxisTicks, MagnitudesBelowZeroAreLabelledWithoutSign) {
    Axis axis;
    axis.from = -5.0;
    axis.to = 5.0;
    axis.absoluteLabels = true;
    const auto ticks = axisTicks(axis, axisMap(axis, 0.0, 1.0), 3);
    ASSERT_EQ(ticks.size(), 3u);
    EXPECT_EQ(ticks.front().label, "5");
}

TEST(ShortNumber, ThreeDigitsAndRealSigns) {
    EXPECT_EQ(shortNumber(0.0), "0");
    EXPECT_EQ(shortNumber(0.12345), "0.123");
    EXPECT_EQ(shortNumber(-2.5), "−2.5");
    EXPECT_EQ(shortNumber(4096.0), "4096");
    EXPECT_EQ(shortNumber(1e-4), "10⁻⁴");
    EXPECT_EQ(shortNumber(1.77e6), "1.77 × 10⁶");
    EXPECT_EQ(shortNumber(9.999e5), "10⁶");
    EXPECT_EQ(shortNumber(std::nan("")), "undefined");
}

TEST(NumberTexts, PowersOfTenAreWrittenAlike) {
    EXPECT_EQ(numberTexts({1e-4, 1e-3, 0.01, 0.1}), (std::vector<std::string>{"10⁻⁴", "10⁻³", "10⁻²", "10⁻¹"}));
    EXPECT_EQ(numberTexts({0.1, 1.0, 10.0}), (std::vector<std::string>{"0.1", "1", "10"}));
}

TEST(AxisMap, UsableWhateverTheAxisSays) {
    Axis axis;
    axis.scale = AxisScale::Log;  // 0 .. 1 has no place on it
    const AxisMap map = axisMap(axis, 0.0, 100.0);
    EXPECT_GT(map.from, 0.0);
    EXPECT_FALSE(map.holds(0.0));
    EXPECT_FALSE(map.holds(std::nan("")));
    EXPECT_NEAR(map.position(map.value(37.0)), 37.0, 1e-9);

    axis.scale = AxisScale::Linear;
    axis.from = axis.to = 3.0;
    EXPECT_NEAR(axisMap(axis, 0.0, 100.0).position(3.0), 50.0, 1e-9);
}

TEST(AxisMap, FirstColumnCanBeWider) {
    const AxisMap map{0.0, 101.0, 10.0, 222.0, false, 12.0};
    EXPECT_NEAR(map.position(0.5), 16.0, 1e-9);
    EXPECT_NEAR(map.position(1.0), 22.0, 1e-9);
    EXPECT_NEAR(map.position(101.0), 222.0, 1e-9);
    EXPECT_NEAR(map.value(map.position(42.5)), 42.5, 1e-9);
}

}  // namespace
}  // namespace dimscope::io
