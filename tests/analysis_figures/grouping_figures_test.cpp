// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/figures/grouping_figures.h"

#include <gtest/gtest.h>

#include "tests/analysis_figures/figure_checks.h"
#include "tests/analysis_figures/made_up.h"

namespace dimscope::analysis::test {
namespace {

using Strings = std::vector<std::string>;

HeadProfile headOf(const std::vector<double>& chi, int layer, int head) {
    std::vector<Dim> dims;
    for (double c : chi) dims.push_back({1.0, 1.0, c});
    return makeHead(dims, {1.0}, layer, head);
}

TEST(SupportFigure, ShowsEveryCandidateAndMarksTheChosen) {
    // Order 0 .. 7; candidates 4 5 6 with ratios 1.25, 3, 2: three, two and one dimensions above them.
    const HeadProfile head = headOf({1, 1, 1, 1, 4, 5, 15, 30}, 15, 4);
    GroupingResult result;
    result.heads = {makeGrouping(head, {{5, 0.97, true}})};
    const Figure figure = supportFigure(result, result.heads[0]);
    ASSERT_TRUE(isDrawable(figure));
    EXPECT_EQ(figure.name, "support-L15-H4");
    const Points ratios = marksOf<Points>(figure.panels[0]).front();
    ASSERT_EQ(ratios.points.size(), 3U);
    EXPECT_EQ(ratios.points[0].y, 1.25);
    EXPECT_EQ(ratios.points[1].y, 3.0);
    EXPECT_EQ(ratios.points[1].x, 2.0);
    EXPECT_EQ(ratios.points[1].hover.text, "cut between dims 5 and 6: ρ 3.00, support 97.0 %, natural");
    EXPECT_EQ(ratios.points[0].ink.role, Role::BulkQuery);
    EXPECT_EQ(writtenIn(figure.panels[0]), Strings{"<i>τ</i> = 1.50"});
    EXPECT_EQ(writtenIn(figure.panels[1]), Strings{"<i>γ</i> = 90 %"});
    EXPECT_EQ(marksOf<Bars>(figure.panels[1]).front().bars[1].top, 0.97);
}

TEST(SupportFigure, AnAbsurdRatioStaysOnTheAxis) {
    const HeadProfile head = headOf({0, 0, 0, 5}, 0, 0);  // 5 over a floor of 1e-12
    GroupingResult result;
    result.heads = {makeGrouping(head, {{2, 1.0, true}})};
    EXPECT_TRUE(isDrawable(supportFigure(result, result.heads[0])));
}

TEST(SupportFigure, SaysWhyItIsEmpty) {
    GroupingResult result;
    result.heads = {makeGrouping(headOf({1, 2, 3, 4}, 1, 2), {}, 0.25)};
    EXPECT_TRUE(saysWhyEmpty(supportFigure(result, result.heads[0]), "fewer than two"));
    result.heads[0].usable = false;
    EXPECT_TRUE(saysWhyEmpty(supportFigure(result, result.heads[0]), "NaN"));
}

TEST(OutlierCountFigure, HasOneBarPerHeadLayerAfterLayer) {
    const HeadProfile a = headOf({1, 1, 1, 9}, 3, 0), b = headOf({1, 1, 9, 8}, 3, 1), c = headOf({1, 9, 1, 1}, 7, 0);
    GroupingResult result;
    result.heads = {makeGrouping(a, {{2, 1.0}}), makeGrouping(b, {{1, 1.0}}), makeGrouping(c, {{2, 1.0}})};
    result.heads[2].usable = false;
    const Figure figure = outlierCountFigure(result);
    ASSERT_TRUE(isDrawable(figure));
    const Panel& panel = figure.panels[0];
    const Bars bars = marksOf<Bars>(panel).front();
    ASSERT_EQ(bars.bars.size(), 3U);
    EXPECT_EQ(bars.bars[0].top, 1.0);
    EXPECT_EQ(bars.bars[1].top, 2.0);
    EXPECT_EQ(bars.bars[1].label, "2");
    EXPECT_EQ(bars.bars[1].hover.text, "layer 3 · head 1: 2 outlier dimensions (2, 3), 89.5 % of χ");  // 17 of 19
    EXPECT_EQ(bars.bars[2].top, 0.0);
    EXPECT_EQ(bars.bars[2].label, "?");
    EXPECT_EQ(panel.x.tickLabels, (Strings{"L3", "L7"}));
    EXPECT_EQ(panel.x.ticks, (std::vector<double>{0.5, 2.0}));
    EXPECT_EQ(marksOf<Rule>(panel).front().at, 1.5);
}

TEST(OutlierCountFigure, TakesThreeHundredHeadsAndNone) {
    GroupingResult result;
    EXPECT_TRUE(saysWhyEmpty(outlierCountFigure(result), "no head"));
    for (int i = 0; i < 300; ++i)
        result.heads.push_back(makeGrouping(headOf({1, 1, 1, 2.0 + i % 3}, i / 10, i % 10), {{2, 1.0}}));
    const Figure figure = outlierCountFigure(result);
    ASSERT_TRUE(isDrawable(figure));
    EXPECT_EQ(marksOf<Bars>(figure.panels[0]).front().bars.size(), 300U);
    EXPECT_LE(figure.panels[0].x.ticks.size(), 17U);
}

}  // namespace
}  // namespace dimscope::analysis::test
