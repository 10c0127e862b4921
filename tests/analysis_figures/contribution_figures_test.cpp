// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/figures/contribution_figures.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/analysis_figures/figure_checks.h"

namespace dimscope::analysis::test {
namespace {

/// chi of eight dimensions of which 3 and 6 carry most, against the same with two neighbours swapped.
StabilityResult madeUpStability() {
    StabilityResult result;
    result.prompts = {PromptIndex{0}, PromptIndex{1}};
    result.first = {PromptIndex{0}};
    result.second = {PromptIndex{1}};
    result.parts = "halves";
    result.lengths = {16, 32, 50};
    result.top = 2;
    result.provenance.verb = "stability";
    HeadStability head;
    head.layer = LayerIndex{15};
    head.head = HeadIndex{4};
    head.chiFirst = {1.0, 2.0, 3.0, 40.0, 4.0, 5.0, 30.0, 6.0};
    head.chiSecond = {2.0, 1.0, 3.0, 40.0, 4.0, 5.0, 30.0, 6.0};
    head.chi = {1.5, 1.5, 3.0, 40.0, 4.0, 5.0, 30.0, 6.0};
    head.rho = 0.976;
    head.topOverlap = 1.0;
    head.top = {3, 6};
    head.topShares = kernels::Matrix<double>(3, 2, {kNaN, kNaN, 0.4, 0.3, 0.44, 0.33});
    head.fixedShare = {kNaN, 0.7, 0.77};
    head.reselectedShare = {kNaN, 0.75, 0.77};
    result.heads = {head};
    return result;
}

std::vector<Figure> stabilityFigures(const StabilityResult& result) {
    const HeadStability& head = result.heads.front();
    return {contributionScatterFigure(result, head), contributionOverlayFigure(result, head),
            prefixShareFigure(result, head)};
}

TEST(ContributionScatter, NamesTheStrongestAndSaysHowMuchAgrees) {
    const Figure figure = contributionScatterFigure(madeUpStability(), madeUpStability().heads.front());
    ASSERT_TRUE(isDrawable(figure));
    const Panel& panel = figure.panels.front();
    EXPECT_EQ(panel.x.scale, AxisScale::Log);
    EXPECT_EQ(panel.y.scale, AxisScale::Log);
    const auto points = marksOf<Points>(panel);
    ASSERT_EQ(points.size(), 2U);
    EXPECT_EQ(points[0].points.size(), 6U);
    ASSERT_EQ(points[1].points.size(), 2U);
    EXPECT_EQ(points[1].points[0].label, "3");
    EXPECT_EQ(points[1].points[0].hover.key, 3);
    EXPECT_DOUBLE_EQ(points[1].points[0].x, 40.0);
    EXPECT_NE(panel.note.find("nearly the same order"), std::string::npos) << panel.note;
    EXPECT_NE(panel.note.find("2 of the top 2"), std::string::npos) << panel.note;
    EXPECT_EQ(figure.name, "stability-scatter-L15-H4");
}

TEST(ContributionScatter, CountsWhatALogarithmicAxisCannotShow) {
    StabilityResult result = madeUpStability();
    result.heads[0].chiFirst[0] = 0.0;
    const Figure figure = contributionScatterFigure(result, result.heads.front());
    ASSERT_TRUE(isDrawable(figure));
    EXPECT_NE(figure.panels[0].note.find("1 off the axes"), std::string::npos) << figure.panels[0].note;
}

TEST(ContributionScatter, RhoInWords) {
    EXPECT_EQ(rankAgreementText(0.99), "nearly the same order");
    EXPECT_EQ(rankAgreementText(0.6), "a similar order");
    EXPECT_EQ(rankAgreementText(-0.3), "no common order");
    EXPECT_EQ(rankAgreementText(kNaN), "undefined");
}

TEST(PrefixShares, OneLineForEachDimensionAndTheirSumDashed) {
    const StabilityResult result = madeUpStability();
    const Figure figure = prefixShareFigure(result, result.heads.front());
    ASSERT_TRUE(isDrawable(figure));
    const auto lines = marksOf<Line>(figure.panels.front());
    ASSERT_EQ(lines.size(), 4U);
    EXPECT_EQ(lines[0].endLabel, "dim 3");
    EXPECT_FALSE(lines[0].dashed);
    EXPECT_EQ(lines[3].endLabel, "sum of the 2");
    EXPECT_TRUE(lines[3].dashed);
    EXPECT_DOUBLE_EQ(lines[3].points.back().second, 0.77);
    const Axis& x = figure.panels.front().x;
    EXPECT_EQ(x.scale, AxisScale::Log);
    EXPECT_EQ(x.tickLabels, (std::vector<std::string>{"16", "32", "50"}));
}

TEST(ContributionOverlay, BothPartsAreShares) {
    const StabilityResult result = madeUpStability();
    const Figure figure = contributionOverlayFigure(result, result.heads.front());
    ASSERT_TRUE(isDrawable(figure));
    for (const Line& line : marksOf<Line>(figure.panels.front())) {
        double sum = 0.0;
        for (const auto& [dimension, share] : line.points) sum += share;
        EXPECT_NEAR(sum, 1.0, 1e-14);
    }
}

TEST(StabilityFigures, SayWhyThereIsNothingToSee) {
    StabilityResult one = madeUpStability();
    one.first.clear();
    one.second.clear();
    EXPECT_TRUE(saysWhyEmpty(contributionScatterFigure(one, one.heads.front()), "one prompt"));
    EXPECT_TRUE(saysWhyEmpty(contributionOverlayFigure(one, one.heads.front()), "one prompt"));
    EXPECT_TRUE(isDrawable(prefixShareFigure(one, one.heads.front())));
    StabilityResult marked = madeUpStability();
    marked.heads[0].usable = false;
    for (const Figure& figure : stabilityFigures(marked)) EXPECT_TRUE(saysWhyEmpty(figure, "NaN"));
    StabilityResult brief = madeUpStability();
    brief.lengths = {50};
    EXPECT_TRUE(saysWhyEmpty(prefixShareFigure(brief, brief.heads.front()), "one prefix length"));
}

ConcentrationResult madeUpConcentration(int heads, int draws) {
    ConcentrationResult result;
    result.draws = draws;
    for (int h = 0; h < heads; ++h) {
        HeadConcentration head;
        head.layer = LayerIndex{h / 3};
        head.head = HeadIndex{h % 3};
        head.top5 = 0.5 + 0.01 * h;
        head.effectiveDims = 3.0;
        head.lorenz = {0.0, 0.1, 0.3, 1.0};
        for (int draw = 0; draw < draws; ++draw) {
            head.isotropic.same.push_back(0.1);
            head.isotropic.own.push_back(0.2 + 0.001 * draw);
        }
        if (draws > 0) head.isotropic.lorenz = head.isotropic.lorenzFrom = head.isotropic.lorenzTo = {0, 0.3, 0.6, 1};
        result.heads.push_back(head);
    }
    return result;
}

TEST(TopShares, HeadsOverTheRangeOfTheDraws) {
    for (const int heads : {1, 3, 8}) {
        const ConcentrationResult result = madeUpConcentration(heads, 11);
        const Figure figure = topShareFigure(result);
        ASSERT_TRUE(isDrawable(figure)) << heads;
        const auto bars = marksOf<Bars>(figure.panels.front());
        ASSERT_EQ(bars.size(), 1U);
        ASSERT_EQ(bars[0].bars.size(), static_cast<std::size_t>(heads));
        EXPECT_NEAR(bars[0].bars[0].base, 0.2005, 1e-12);  // 5 % of eleven draws: between the first and the second
        EXPECT_NEAR(bars[0].bars[0].top, 0.2095, 1e-12);
        EXPECT_EQ(marksOf<Points>(figure.panels.front()).back().points.size(), static_cast<std::size_t>(heads));
        EXPECT_EQ(marksOf<Rule>(figure.panels.front()).size(), static_cast<std::size_t>((heads - 1) / 3));
    }
    EXPECT_TRUE(isDrawable(topShareFigure(madeUpConcentration(3, 0))));
    EXPECT_TRUE(marksOf<Bars>(topShareFigure(madeUpConcentration(3, 0)).panels.front()).empty());
    EXPECT_TRUE(saysWhyEmpty(topShareFigure({}), "no head"));
}

TEST(Lorenz, CurveBesideTheDrawsAndEqualShares) {
    const ConcentrationResult result = madeUpConcentration(1, 2);
    const Figure figure = lorenzFigure(result, result.heads.front());
    ASSERT_TRUE(isDrawable(figure));
    const auto lines = marksOf<Line>(figure.panels.front());
    ASSERT_EQ(lines.size(), 5U);  // equal, two edges, mean, head
    EXPECT_EQ(lines.back().endLabel, "head");
    EXPECT_EQ(lines.back().points[1], (std::pair{1.0 / 3.0, 0.1}));
    ConcentrationResult marked = result;
    marked.heads[0].usable = false;
    EXPECT_TRUE(saysWhyEmpty(lorenzFigure(marked, marked.heads.front()), "NaN"));
    ConcentrationResult zero = result;
    zero.heads[0].effectiveDims = kNaN;
    EXPECT_TRUE(saysWhyEmpty(lorenzFigure(zero, zero.heads.front()), "zero"));
}

MagnitudeSummary summaryOf(double largest) {
    return {{{largest, 0, 1}, {largest / 2.0, 1, 2}, {largest / 4.0, 2, 3}}, largest / 10.0};
}

TEST(LayerMagnitudesFigure, OnePanelForEachTensorTheDumpHas) {
    LayerMagnitudesResult result;
    for (const int number : {5, 15, 25}) {
        LayerMagnitudes layer;
        layer.layer = LayerIndex{number};
        layer.query = summaryOf(number);
        layer.key = summaryOf(2.0 * number);
        if (number > 5) layer.value = summaryOf(3.0);
        result.layers.push_back(layer);
    }
    const Figure figure = layerMagnitudesFigure(result);
    ASSERT_TRUE(isDrawable(figure));
    ASSERT_EQ(figure.panels.size(), 3U);  // q, k, v
    const auto lines = marksOf<Line>(figure.panels[0]);
    ASSERT_EQ(lines.size(), 4U);
    EXPECT_EQ(lines[0].points, (std::vector<std::pair<double, double>>{{5, 5}, {15, 15}, {25, 25}}));
    EXPECT_TRUE(lines[3].dashed);
    EXPECT_EQ(lines[3].endLabel, "median");
    EXPECT_TRUE(std::isnan(marksOf<Line>(figure.panels[2])[0].points[0].second)) << "layer 5 has no v";
    EXPECT_TRUE(saysWhyEmpty(layerMagnitudesFigure({}), "no layer"));
}

}  // namespace
}  // namespace dimscope::analysis::test
