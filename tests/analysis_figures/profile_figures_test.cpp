// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "analysis/figures/dimension_axis.h"
#include "analysis/figures/profile_figures.h"
#include "tests/analysis_figures/figure_checks.h"
#include "tests/analysis_figures/made_up.h"

namespace dimscope::analysis::test {
namespace {

using Strings = std::vector<std::string>;

// Eight dimensions, partners r and r + 4: the pair 1, 5 stands out, 1 in k and 5 in q. Sum of chi 40.
//                              q    k    chi
const std::vector<Dim> kDimensions{{1.0, 1.0, 1.0},    // 0
                                   {1.5, 8.0, 12.0},   // 1  outlier
                                   {1.0, 1.0, 2.0},    // 2
                                   {1.0, 1.0, 1.5},    // 3
                                   {1.0, 1.0, 1.25},   // 4
                                   {9.0, 2.0, 18.0},   // 5  outlier
                                   {2.0, 1.0, 3.0},    // 6
                                   {1.0, 1.0, 1.25}};  // 7
const std::vector<Cut> kOneCut{{5, 0.5}};              // between 6 (chi 3) and 1 (chi 12): ratio 4

struct ProfileFigures : ::testing::Test {
    HeadProfile head = makeHead(kDimensions, {0.5, 1.5});
    ProfileResult result = makeResult({head});
    LayerInfo layer = makeLayer(8);
    HeadGrouping grouping = makeGrouping(head, kOneCut);
    FigureOptions options;
};

Strings barLabels(const Bars& bars) {
    Strings labels;
    for (const Bars::Bar& bar : bars.bars) labels.push_back(bar.label);
    return labels;
}

TEST_F(ProfileFigures, MagnitudeHasQUpwardsAndKDownwards) {
    const Figure figure = magnitudeFigure(result, head, layer, &grouping, options);
    ASSERT_TRUE(isDrawable(figure));
    EXPECT_EQ(figure.name, "magnitude-L15-H4");
    EXPECT_NE(figure.caption.find("whiskers: range over 2 prompts"), std::string::npos) << figure.caption;
    EXPECT_NE(figure.caption.find("layer 15 · head 4 · N 512 · 2 prompts"), std::string::npos) << figure.caption;
    const Panel& panel = figure.panels.front();
    EXPECT_TRUE(panel.y.absoluteLabels);
    const auto bars = marksOf<Bars>(panel);
    ASSERT_EQ(bars.size(), 2U);
    EXPECT_EQ(bars[0].bars[5].top, 9.0);
    EXPECT_EQ(bars[1].bars[1].top, -8.0);
    EXPECT_EQ(bars[0].bars[5].ink.role, Role::OutlierQuery);
    EXPECT_EQ(bars[1].bars[1].ink.role, Role::OutlierKey);
    EXPECT_EQ(bars[0].bars[6].ink.role, Role::BulkQuery);
    EXPECT_EQ(bars[1].bars[6].ink.role, Role::BulkKey);
    EXPECT_EQ(*bars[1].bars[1].whiskerFrom, -4.0);  // half of 8, downwards
    EXPECT_EQ(*bars[1].bars[1].whiskerTo, -12.0);   // one and a half of 8
    EXPECT_EQ(bars[0].bars[5].hover.text, "dim 5: mean |q| 9.00, mean |k| 2.00, partner 1");
}

TEST_F(ProfileFigures, MagnitudeNamesTheTopFiveAtTheirLongerBar) {
    const auto bars = marksOf<Bars>(magnitudeFigure(result, head, layer, &grouping, options).panels.front());
    //                                       0   1    2    3    4   5    6    7      strongest: 5 1 6 2 3
    EXPECT_EQ(barLabels(bars[0]), (Strings{"", "", "2", "3", "", "5", "6", ""}));
    EXPECT_EQ(barLabels(bars[1]), (Strings{"", "1", "", "", "", "", "", ""}));
}

TEST_F(ProfileFigures, MagnitudeNamesALongBarOfSmallContribution) {
    std::vector<Dim> table = kDimensions;
    table[7].q = 20.0;  // but rank 6 of 8
    const HeadProfile tall = makeHead(table);
    const auto bars =
        marksOf<Bars>(magnitudeFigure(makeResult({tall}), tall, layer, &grouping, options).panels.front());
    EXPECT_EQ(barLabels(bars[0]), (Strings{"", "", "2", "3", "", "5", "6", "7"}));
}

TEST_F(ProfileFigures, HalvesAreNamedOnlyWhereDimensionsRotateInHalves) {
    const auto texts = [&](const LayerInfo& of, bool fold) {
        options.foldPairs = fold;
        return writtenIn(magnitudeFigure(result, head, of, &grouping, options).panels.front());
    };
    EXPECT_EQ(texts(layer, false), (Strings{"RoPE partners, <i>r</i> + 4", "first half, <i>r</i>"}));
    EXPECT_EQ(texts(layer, true), Strings{});
    EXPECT_EQ(texts(makeLayer(8, "interleaved"), false), Strings{});
    EXPECT_EQ(texts(makeLayer(8, "none"), false), Strings{});
    LayerInfo partly = layer;
    partly.rotaryDim = 4;
    EXPECT_EQ(texts(partly, false), (Strings{"RoPE partners, <i>r</i> + 2", "first half, <i>r</i>", "not rotated"}));
}

TEST_F(ProfileFigures, OnePromptAndMaximumHaveNoWhiskers) {
    const HeadProfile single = makeHead(kDimensions);
    for (bool maximum : {false, true}) {
        options.maximum = maximum;
        const HeadProfile& shown = maximum ? head : single;
        const Figure figure = magnitudeFigure(makeResult({shown}), shown, layer, &grouping, options);
        EXPECT_EQ(figure.caption.find("whisker"), std::string::npos);
        for (const Bars& bars : marksOf<Bars>(figure.panels.front()))
            for (const Bars::Bar& bar : bars.bars) EXPECT_FALSE(bar.whiskerFrom || bar.whiskerTo);
        EXPECT_EQ(marksOf<Bars>(figure.panels.front())[0].bars[5].top, maximum ? 27.0 : 9.0);
    }
}

TEST_F(ProfileFigures, HoverAndBrushAreSeen) {
    options.hovered = 2;
    options.brushed = {6, 99};  // 99: left over from a wider head
    const Panel panel = magnitudeFigure(result, head, layer, &grouping, options).panels.front();
    const auto bars = marksOf<Bars>(panel);
    EXPECT_EQ(bars[0].bars[2].ink.role, Role::Text);
    EXPECT_EQ(bars[0].bars[6].ink.role, Role::Partner);
    const auto bands = marksOf<Band>(panel);
    ASSERT_EQ(bands.size(), 1U);
    EXPECT_EQ(bands[0].from, 5.5);
    EXPECT_EQ(bands[0].to, 6.5);
}

TEST_F(ProfileFigures, ContributionShowsSharesUniformAndPairs) {
    const Figure figure = contributionFigure(result, head, layer, &grouping, options);
    ASSERT_TRUE(isDrawable(figure));
    const Panel& panel = figure.panels.front();
    EXPECT_EQ(panel.y.format, TickFormat::Percent);
    const Bars bars = marksOf<Bars>(panel).front();
    EXPECT_DOUBLE_EQ(bars.bars[5].top, 0.45);  // 18 of 40
    EXPECT_EQ(bars.bars[5].ink.role, Role::OutlierQuery);
    EXPECT_NEAR(*bars.bars[5].whiskerFrom, 0.45, 1e-15) << "both prompts share chi alike";
    EXPECT_EQ(bars.bars[5].hover.text, "dim 5: share 45.0 %, rank 1, χ 18.0, effective share 45.0 %, partner 1");
    EXPECT_EQ(writtenIn(panel), Strings{"uniform, 1/8"});
    const auto arcs = marksOf<Arc>(panel);
    ASSERT_EQ(arcs.size(), 1U);
    EXPECT_EQ(arcs[0].label, "1–5  75.0 %");
    EXPECT_EQ(arcs[0].from, 1.0);
    EXPECT_EQ(arcs[0].to, 5.0);
    for (double tick : panel.y.ticks) EXPECT_GE(tick, 0.0) << "the room of the arcs has no shares";
    EXPECT_LE(panel.y.ticks.size(), 5U);
}

TEST_F(ProfileFigures, ContributionJoinsTheHoveredPairToo) {
    options.hovered = 6;
    const auto arcs = marksOf<Arc>(contributionFigure(result, head, layer, &grouping, options).panels.front());
    ASSERT_EQ(arcs.size(), 2U);
    EXPECT_EQ(arcs[0].label, "2–6  12.5 %");
    EXPECT_LT(arcs[0].depth, arcs[1].depth);
    const auto none = contributionFigure(result, head, makeLayer(8, "none"), &grouping, options).panels.front();
    EXPECT_TRUE(marksOf<Arc>(none).empty());
    EXPECT_EQ(none.y.from, 0.0);
}

TEST_F(ProfileFigures, FoldedOrderIsAPermutation) {
    for (const std::string layout : {"half", "interleaved", "none"})
        for (int d : {1, 2, 3, 8, 63, 80}) {
            std::vector<int> order = foldedOrder(d, makeLayer(d, layout));
            std::sort(order.begin(), order.end());
            ASSERT_EQ(order.size(), static_cast<std::size_t>(d)) << layout;
            for (int r = 0; r < d; ++r) EXPECT_EQ(order[static_cast<std::size_t>(r)], r) << layout << " " << d;
        }
    LayerInfo partly = layer;
    partly.rotaryDim = 4;
    EXPECT_EQ(foldedOrder(8, layer), (std::vector<int>{0, 4, 1, 5, 2, 6, 3, 7}));
    EXPECT_EQ(foldedOrder(8, partly), (std::vector<int>{0, 2, 1, 3, 4, 5, 6, 7}));
}

TEST_F(ProfileFigures, FoldedBarsStandAtTheirPartners) {
    options.foldPairs = true;
    const Panel panel = contributionFigure(result, head, layer, &grouping, options).panels.front();
    const Bars bars = marksOf<Bars>(panel).front();
    EXPECT_EQ(bars.bars[1].x, 2.0);
    EXPECT_EQ(bars.bars[5].x, 3.0);
    EXPECT_EQ(panel.x.tickLabels, (Strings{"0–4", "1–5", "2–6", "3–7"}));
    EXPECT_EQ(panel.x.ticks, (std::vector<double>{0.5, 2.5, 4.5, 6.5}));
}

TEST_F(ProfileFigures, SortedProfileShowsTheCut) {
    GroupingParams params;
    const Figure figure = sortedProfileFigure(result, head, &grouping, options, &params);
    ASSERT_TRUE(isDrawable(figure));
    ASSERT_EQ(figure.panels.size(), 2U);
    const Panel& panel = figure.panels[0];
    EXPECT_EQ(panel.y.scale, AxisScale::Log);
    EXPECT_EQ(writtenIn(panel), (Strings{"uniform, 1/8", "cut <i>ρ</i> = 4.00", "support 50 % of 1000 draws"}));
    const auto rules = marksOf<Rule>(panel);
    ASSERT_EQ(rules.size(), 2U);
    EXPECT_EQ(rules[1].at, 6.5);  // six dimensions below, two above
    const auto bands = marksOf<Band>(panel);
    ASSERT_EQ(bands.size(), 1U);
    EXPECT_EQ(bands[0].from, 4.5);  // candidates 4 5 6: ranks 5 to 8
    EXPECT_EQ(bands[0].to, 8.5);
    const Points points = marksOf<Points>(panel).front();
    ASSERT_EQ(points.points.size(), 8U);
    EXPECT_EQ(points.points[0].label, "5");
    EXPECT_EQ(points.points[1].label, "1");
    EXPECT_EQ(points.points[2].label, "") << "bulk";
    EXPECT_EQ(points.points[1].ink.role, Role::OutlierQuery);
    EXPECT_EQ(points.points[2].ink.role, Role::BulkQuery);
    const Bars support = marksOf<Bars>(figure.panels[1]).front();
    ASSERT_EQ(support.bars.size(), 3U);
    EXPECT_EQ(support.bars[1].top, 0.5);
    EXPECT_EQ(support.bars[1].ink.role, Role::OutlierQuery);
}

TEST_F(ProfileFigures, NeighbouringOutlierGroupsDiffer) {
    const HeadGrouping three = makeGrouping(head, {{5, 0.5}, {6, 0.95, true}});
    const Panel panel = sortedProfileFigure(result, head, &three, options).panels.front();
    const Points points = marksOf<Points>(panel).front();
    EXPECT_EQ(points.points[0].ink.role, Role::OutlierQuery);
    EXPECT_EQ(points.points[1].ink.role, Role::OutlierKey);
    EXPECT_EQ(writtenIn(panel),
              (Strings{"uniform, 1/8", "cut <i>ρ</i> = 1.50, support 95 %", "cut <i>ρ</i> = 4.00, support 50 %"}));
}

TEST_F(ProfileFigures, SortedProfileWithoutGroupingIsPlain) {
    const Figure figure = sortedProfileFigure(result, head, nullptr, options);
    ASSERT_TRUE(isDrawable(figure));
    ASSERT_EQ(figure.panels.size(), 1U);
    EXPECT_TRUE(marksOf<Band>(figure.panels[0]).empty());
    EXPECT_EQ(writtenIn(figure.panels[0]), Strings{"uniform, 1/8"});
}

TEST_F(ProfileFigures, CrowdedPointsAreNamedTogetherOrByTheHighest) {
    const auto labels = [&](const std::vector<double>& chi) {
        std::vector<Dim> dims;
        for (double c : chi) dims.push_back({1.0, 1.0, c});
        const HeadProfile of = makeHead(dims);
        const HeadGrouping outliers = makeGrouping(of, {{3, 0.9, true}});
        const Figure figure = sortedProfileFigure(makeResult({of}), of, &outliers, options);
        const Points points = marksOf<Points>(figure.panels[0])[0];
        Strings found;
        for (const Points::Point& point : points.points)
            if (!point.label.empty()) found.push_back(point.label);
        return found;
    };
    //                bulk          outliers 4 5 6 7
    EXPECT_EQ(labels({1, 1, 1, 1, 4, 8, 16, 32}), (Strings{"7", "6", "5", "4"}));
    EXPECT_EQ(labels({1, 1, 1, 1, 10, 11, 30, 31}), (Strings{"7, 6", "5, 4"}));
    EXPECT_EQ(labels({1, 1, 1, 1, 30, 31, 32, 33}), Strings{"7"});
}

TEST_F(ProfileFigures, SortedProfileLeavesOutZeros) {
    const HeadProfile sparse = makeHead({{1, 1, 0}, {1, 1, 4}, {0, 0, 0}, {1, 1, 1e-9}});
    const Figure figure = sortedProfileFigure(makeResult({sparse}), sparse, nullptr, options);
    ASSERT_TRUE(isDrawable(figure));
    EXPECT_EQ(marksOf<Points>(figure.panels[0]).front().points.size(), 2U);
    EXPECT_EQ(figure.panels[0].note, "2 dimensions with share 0 left out");
}

TEST_F(ProfileFigures, TokenMapKeepsSmallPromptsWhole) {
    const kernels::Matrix<float> q(2, 3, {1, -2, 3, -4, NAN, 6});
    const kernels::Matrix<double> k(2, 3, {0, 0, 0, 0, 0, -5});
    const Figure figure = tokenMapFigure(head, PromptIndex{2}, q.view(), k.view(), {});
    ASSERT_TRUE(isDrawable(figure));
    EXPECT_EQ(figure.name, "tokens-L15-H4-P2");
    ASSERT_EQ(figure.panels.size(), 2U);
    const HeatMap map = marksOf<HeatMap>(figure.panels[0]).front();
    EXPECT_EQ((*map.values)(0, 1), 2.0F);
    EXPECT_EQ((*map.values)(1, 0), 4.0F);
    EXPECT_TRUE(std::isnan((*map.values)(1, 1)));
    EXPECT_EQ(map.to, 6.0);
    EXPECT_EQ(marksOf<HeatMap>(figure.panels[1]).front().to, 5.0);
}

TEST_F(ProfileFigures, TokenMapReducesLongPromptsByTheirMaximum) {
    kernels::Matrix<float> q(2001, 1);  // three tokens a row: 667 rows
    q(4, 0) = -7.0F;                    // second row
    q(2000, 0) = 1.0F;                  // last row
    const Figure figure = tokenMapFigure(head, PromptIndex{0}, q.view(), q.view(), {});
    ASSERT_TRUE(isDrawable(figure));
    const HeatMap map = marksOf<HeatMap>(figure.panels[0]).front();
    ASSERT_EQ(map.values->rows(), 667);
    EXPECT_EQ((*map.values)(1, 0), 7.0F);
    EXPECT_EQ((*map.values)(0, 0), 0.0F);
    EXPECT_EQ((*map.values)(666, 0), 1.0F);
    EXPECT_EQ(map.rowNames[1], "tokens 3 to 5");
}

}  // namespace
}  // namespace dimscope::analysis::test
