// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/figures/kernel_figures.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "analysis/figures/kernel_parts.h"
#include "tests/analysis_figures/figure_checks.h"
#include "tests/analysis_figures/made_up.h"

namespace dimscope::analysis::test {
namespace {

using Strings = std::vector<std::string>;
const LayerIndex kLayer{15};
const HeadIndex kHead{4};

TEST(KernelErrorFigure, SortsKernelsUnderExactAttention) {
    const ComparisonResult result = makeComparison({{"oal", {0.857}},
                                                    {"performer", {0.5, 0.6, 0.7}},
                                                    {"first_value", {0.606}},
                                                    {"taylor", {1.08}},
                                                    {"uniform", {0.95}}});
    const Figure figure = kernelErrorFigure(result, kLayer, kHead);
    ASSERT_TRUE(isDrawable(figure));
    const Panel& panel = figure.panels[0];
    EXPECT_EQ(panel.y.tickLabels, (Strings{"Softmax", "Performer", "OAL", "Taylor"}));
    EXPECT_EQ(panel.y.ticks, (std::vector<double>{3, 2, 1, 0}));  // the first row is the top one
    EXPECT_EQ(writtenIn(panel), (Strings{"first value", "uniform", "zero", "exact: 0"}));
    const auto rules = marksOf<Rule>(panel);
    EXPECT_EQ(rules[0].at, 0.606);
    EXPECT_EQ(rules[2].at, 1.0);
}

TEST(KernelErrorFigure, AnExactPartStandsBesideItsTwoRests) {
    ComparisonResult result = makeComparison(
        {{"oal", {0.02}}, {"performer", {0.04}}, {"first_value", {0.07}}, {"zero", {0.05}}, {"uniform", {0.03}}});
    result.evaluation.exactFirst = 1;
    result.evaluation.centreKeys = true;
    const Figure figure = kernelErrorFigure(result, kLayer, kHead);
    ASSERT_TRUE(isDrawable(figure));
    const auto rules = marksOf<Rule>(figure.panels[0]);
    ASSERT_EQ(rules.size(), 2U);
    EXPECT_EQ(rules[0].label, "uniform rest");
    EXPECT_EQ(rules[0].at, 0.03);
    EXPECT_EQ(rules[1].label, "no rest");
    EXPECT_EQ(rules[1].at, 0.05);
    EXPECT_NE(figure.caption.find("· first key exact, centred keys ·"), std::string::npos) << figure.caption;
}

TEST(KernelErrorFigure, DrawsSmallMeanLarge) {
    const ComparisonResult result = makeComparison({{"performer", {0.5, 0.6, 0.7}}, {"oal", {0.8}}});
    const Figure figure = kernelErrorFigure(result, kLayer, kHead);
    std::vector<double> xs, sizes;
    for (const Points& points : marksOf<Points>(figure.panels[0]))
        for (const Points::Point& point : points.points) {
            if (point.ink.kernel != "performer") continue;
            xs.push_back(point.x);
            sizes.push_back(point.sizePt);
            EXPECT_EQ(point.hover.key, 0);
        }
    ASSERT_EQ(xs.size(), 4U);
    EXPECT_EQ(std::vector<double>(xs.begin(), xs.end() - 1), (std::vector<double>{0.5, 0.6, 0.7}));
    EXPECT_DOUBLE_EQ(xs[3], 0.6);
    EXPECT_LT(sizes[0], sizes[3]);
    EXPECT_EQ(marksOf<Line>(figure.panels[0]).size(), 1U) << "only a kernel with draws has a span";
}

TEST(KernelErrorFigure, FarValuesAreWrittenAtTheEdge) {
    const ComparisonResult result = makeComparison({{"performer", {0.6}}, {"oal", {1.77e6}}, {"taylor", {NAN}}});
    const Figure figure = kernelErrorFigure(result, kLayer, kHead);
    ASSERT_TRUE(isDrawable(figure));
    EXPECT_LT(figure.panels[0].x.to, 2.0) << "the axis is not stretched";
    EXPECT_EQ(figure.panels[0].y.tickLabels, (Strings{"Softmax", "Performer", "OAL", "Taylor"})) << "undefined is last";
    const Strings written = writtenIn(figure.panels[0]);
    EXPECT_EQ(std::count_if(written.begin(), written.end(), [](const std::string& s) { return s.find("1.77") == 0; }),
              1);
    EXPECT_EQ(written.back(), "no finite row");
}

TEST(KernelErrorFigure, SaysWhyItIsEmpty) {
    EXPECT_TRUE(saysWhyEmpty(kernelErrorFigure(makeComparison({{"oal", {1.0}}}), kLayer, HeadIndex{5}), "no kernel"));
    EXPECT_TRUE(saysWhyEmpty(kernelErrorFigure(makeComparison({{"zero", {1.0}}}), kLayer, kHead), "no kernel"));
}

TEST(SensibleRange, KeepsTheBodyAndDropsOutliers) {
    const LogRange range = sensibleRange({0.5, 1.0, 0.6, 1e7, NAN, 0.0, -3.0, 1e-9});
    EXPECT_TRUE(range.holds(0.5) && range.holds(1.0));
    EXPECT_FALSE(range.holds(1e7) || range.holds(1e-9) || range.holds(NAN));
    const LogRange one = sensibleRange({0.25});
    EXPECT_LT(one.from, 0.25);
    EXPECT_GT(one.to, 0.25);
    const LogRange none = sensibleRange({});
    EXPECT_LT(none.from, none.to);
}

// Two prompts, rows at 3 10 20 30. Bins of 16: positions 3 10 | 20 30.
//   error    prompt 0: 1 3 2 8    prompt 1: 0 NaN 4 2
//   energy   prompt 0: 2 2 4 4    prompt 1: 4 NaN 2 6
TEST(ErrorBins, AreSumsOverSums) {
    KernelError error;
    error.rowError = {1, 3, 2, 8, 0, NAN, 4, 2};
    error.rowEnergy = {2, 2, 4, 4, 4, NAN, 2, 6};
    const std::vector<std::vector<Index>> positions{{3, 10, 20, 30}, {3, 10, 20, 30}};
    const auto bins = errorBins(error, positions, 16);
    ASSERT_EQ(bins.size(), 2U);
    EXPECT_EQ(bins[0].from, 0);
    EXPECT_EQ(bins[0].rows, 3);
    EXPECT_DOUBLE_EQ(bins[0].relMse, 4.0 / 8.0);
    EXPECT_EQ(bins[1].from, 16);
    EXPECT_EQ(bins[1].rows, 4);
    EXPECT_DOUBLE_EQ(bins[1].relMse, 16.0 / 16.0);
    EXPECT_EQ(errorBins(error, positions, 1000).size(), 1U);
    EXPECT_DOUBLE_EQ(errorBins(error, positions, 1000)[0].relMse, 20.0 / 24.0);
}

TEST(ErrorBins, WithoutEnergyAreUndefined) {
    KernelError error;
    error.rowError = {1, 0};
    error.rowEnergy = {0, 0};
    const auto bins = errorBins(error, {{5, 6}}, 8);
    ASSERT_EQ(bins.size(), 1U);
    EXPECT_TRUE(std::isnan(bins[0].relMse));
    EXPECT_TRUE(errorBins(error, {}, 8).empty());
}

TEST(ErrorByPositionFigure, HasOneLabelledLinePerKernel) {
    const ComparisonResult result =
        makeComparison({{"performer", {0.6}}, {"uniform", {0.95}}, {"zero", {1.0}}, {"oal", {1e9}}});
    const Figure figure = errorByPositionFigure(result, kLayer, kHead, 16);
    ASSERT_TRUE(isDrawable(figure));
    const auto lines = marksOf<Line>(figure.panels[0]);
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_EQ(lines[0].endLabel, "Performer");
    EXPECT_EQ(lines[0].points, (std::vector<std::pair<double, double>>{{8.0, 0.6}, {24.0, 0.6}}));
    EXPECT_FALSE(lines[0].dashed);
    EXPECT_TRUE(lines[1].dashed);
    EXPECT_EQ(figure.panels[0].x.ticks, (std::vector<double>{0, 16, 32}));
    EXPECT_EQ(figure.panels[0].note, "off the axis: OAL");
    EXPECT_TRUE(isDrawable(errorByPositionFigure(result, kLayer, kHead, 0)));
    EXPECT_TRUE(saysWhyEmpty(errorByPositionFigure(result, kLayer, HeadIndex{0}, 16), "no row"));
}

using FloatMatrix = kernels::Matrix<float>;

ComparisonResult withWeights(const FloatMatrix& exact, const FloatMatrix& approximate, std::vector<Index> positions) {
    ComparisonResult result = makeComparison({{"oal", {0.8}}});
    result.positions = {std::move(positions)};
    result.weights = {{"softmax", std::make_shared<FloatMatrix>(exact)},
                      {"oal", std::make_shared<FloatMatrix>(approximate)}};
    return result;
}

TEST(WeightsFigure, ShowsExactKernelAndDifference) {
    const FloatMatrix exact(2, 3, {0.75F, 0.25F, 0.0F, 0.5F, 0.25F, 0.25F});
    const FloatMatrix approximate(2, 3, {0.5F, 0.5F, 0.0F, 0.25F, 0.25F, 0.5F});
    const Figure figure = weightsFigure(withWeights(exact, approximate, {1, 2}), kLayer, kHead, "oal");
    ASSERT_TRUE(isDrawable(figure));
    EXPECT_EQ(figure.name, "weights-L15-H4-oal");
    ASSERT_EQ(figure.panels.size(), 3U);
    EXPECT_EQ(figure.panels[2].note, "OAL − exact");
    const HeatMap first = marksOf<HeatMap>(figure.panels[0])[0], second = marksOf<HeatMap>(figure.panels[1])[0];
    const HeatMap difference = marksOf<HeatMap>(figure.panels[2])[0];
    EXPECT_EQ(first.from, second.from);
    EXPECT_EQ(first.to, second.to);
    EXPECT_EQ(first.to, 0.75);
    EXPECT_TRUE(std::isnan((*first.values)(0, 2))) << "key 2 lies behind query 1";
    EXPECT_EQ((*difference.values)(0, 0), -0.25F);
    EXPECT_EQ((*difference.values)(1, 2), 0.25F);
    EXPECT_EQ(difference.map, ColourMap::BlueWhiteVermilion);
    EXPECT_EQ(difference.from, -difference.to);
    EXPECT_EQ(figure.panels[2].y.tickLabels, (Strings{"1", "2"}));
}

TEST(WeightsFigure, JoinsManyKeysByTheirLargest) {
    FloatMatrix exact(1, 2001), approximate(1, 2001);
    exact(0, 0) = 0.9F;
    exact(0, 2000) = 0.01F;
    approximate(0, 4) = 0.05F;
    const Figure figure = weightsFigure(withWeights(exact, approximate, {2000}), kLayer, kHead, "oal");
    ASSERT_TRUE(isDrawable(figure));
    const HeatMap map = marksOf<HeatMap>(figure.panels[0])[0];
    EXPECT_EQ(map.values->cols(), 1001);  // key 0, then 1000 pairs
    EXPECT_EQ((*map.values)(0, 0), 0.9F);
    EXPECT_EQ((*map.values)(0, 1000), 0.01F);
    EXPECT_EQ(map.columnNames[1000], "keys 1999 to 2000");
    EXPECT_EQ((*marksOf<HeatMap>(figure.panels[2])[0].values)(0, 2), 0.05F);  // keys 3 and 4
    EXPECT_GT(map.firstColumnWidthPx, 0.0) << "key 0 would be invisible";
    EXPECT_EQ(map.to, 0.1);
}

TEST(WeightsFigure, SaysWhyItIsEmpty) {
    const FloatMatrix one(1, 1, {1.0F});
    const ComparisonResult result = withWeights(one, one, {0});
    EXPECT_TRUE(isDrawable(weightsFigure(result, kLayer, kHead, "oal")));
    EXPECT_TRUE(saysWhyEmpty(weightsFigure(result, kLayer, HeadIndex{3}, "oal"), "head 4"));
    EXPECT_TRUE(saysWhyEmpty(weightsFigure(result, kLayer, kHead, "taylor"), "Taylor"));
    EXPECT_TRUE(saysWhyEmpty(weightsFigure(makeComparison({{"oal", {1.0}}}), kLayer, kHead, "oal"), "kept no weights"));
    EXPECT_TRUE(saysWhyEmpty(weightsFigure(withWeights(one, FloatMatrix(1, 2), {0}), kLayer, kHead, "oal"), "fit"));
}

}  // namespace
}  // namespace dimscope::analysis::test
