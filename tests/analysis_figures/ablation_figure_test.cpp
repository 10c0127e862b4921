// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "analysis/figures/orders_figures.h"
#include "tests/analysis_figures/figure_checks.h"

namespace dimscope::analysis::test {
namespace {

/// Two heads; `errors` by variant, the rest like the baseline. Pooled is the mean of both.
OrderAblations madeUpAblations(const std::vector<std::pair<std::string, double>>& errors) {
    OrderAblations result;
    for (const AblationVariant& variant : ablationVariants()) {
        double error = 0.5;
        for (const auto& [name, value] : errors)
            if (name == variant.name) error = value;
        for (const int head : {0, 1}) {
            HeadAblation ablation;
            ablation.layer = LayerIndex{15};
            ablation.head = HeadIndex{head};
            ablation.variant = variant.name;
            ablation.relMse = error * (head == 0 ? 0.9 : 1.1);
            ablation.cosine = 0.7;
            result.heads.push_back(ablation);
        }
        result.pooled.push_back({std::nullopt, variant.name, error, 0.7, 2});
    }
    return result;
}

std::size_t pointsAt(const Figure& figure, double y) {
    std::size_t count = 0;
    for (const Points& points : marksOf<Points>(figure.panels.front()))
        for (const Points::Point& point : points.points) count += point.y == y ? 1U : 0U;
    return count;
}

TEST(AblationFigure, OneRowPerVariantWithItsHeads) {
    const Figure figure = ablationFigure(madeUpAblations({{"zero_order", 0.2}, {"no_angular", 0.9}}));
    EXPECT_TRUE(isDrawable(figure));
    ASSERT_EQ(figure.panels.size(), 1U);
    const Panel& panel = figure.panels.front();
    ASSERT_EQ(panel.y.tickLabels.size(), ablationVariants().size());
    EXPECT_EQ(panel.y.tickLabels.front(), ablationVariants().front().title);
    for (const double tick : panel.y.ticks) EXPECT_EQ(pointsAt(figure, tick), 3U);  // two heads and both pooled
    std::vector<std::string> rules;
    for (const Rule& rule : marksOf<Rule>(panel)) rules.push_back(rule.label);
    EXPECT_EQ(rules, (std::vector<std::string>{"unchanged", "zero"}));
}

TEST(AblationFigure, SaysWhyItIsEmpty) {
    OrderAblations result = madeUpAblations({});
    for (HeadAblation& head : result.heads) head.usable = false;
    EXPECT_TRUE(saysWhyEmpty(ablationFigure(result), "more than one key"));
}

TEST(AblationFindings, NameTheBestAndTheWorstChange) {
    const auto findings =
        ablationFindings(madeUpAblations({{"zero_order", 0.2}, {"no_angular", 0.9}, {"exact_layer_norm", 0.01}}));
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_NE(findings[0].text.find("zero order back"), std::string::npos) << findings[0].text;
    EXPECT_NE(findings[0].text.find("angular part off"), std::string::npos) << findings[0].text;
    EXPECT_EQ(findings[0].text.find("exact"), std::string::npos) << "what LayerNorm costs is no change of the proxy";
    OrderAblations none = madeUpAblations({});
    for (PooledAblation& pooled : none.pooled) pooled.relMse = kNaN;
    EXPECT_TRUE(ablationFindings(none).empty());
}

}  // namespace
}  // namespace dimscope::analysis::test
