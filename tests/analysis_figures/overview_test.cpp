// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/figures/overview.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "kernels/error.h"
#include "tests/analysis_figures/figure_checks.h"
#include "tests/analysis_figures/made_up.h"

namespace dimscope::analysis::test {
namespace {

// Two dimensions; chi 3 : 1, of which 1 : 1 survives softmax.
const HeadProfile kFirstHead = makeHead({{2.0, 5.0, 3.0, 1.0}, {4.0, 1.0, 1.0, 1.0}}, {1.0}, 5, 0);

TEST(Overview, QuantitiesOfAHead) {
    EXPECT_EQ(overviewQuantities().front().first, "top5_chi");
    EXPECT_EQ(overviewValue(kFirstHead, "top1_chi"), 0.75);
    EXPECT_EQ(overviewValue(kFirstHead, "top5_chi"), 1.0);
    EXPECT_EQ(overviewValue(kFirstHead, "top5_effective"), 1.0);
    EXPECT_EQ(overviewValue(kFirstHead, "effective_ratio"), 0.5);
    EXPECT_DOUBLE_EQ(overviewValue(kFirstHead, "effective_dims"), 1.6);  // 1 / (9/16 + 1/16)
    EXPECT_EQ(overviewValue(kFirstHead, "max_q"), 12.0);
    EXPECT_EQ(overviewValue(kFirstHead, "max_k"), 15.0);
    EXPECT_EQ(overviewValue(kFirstHead, "max_mean_q"), 4.0);
    EXPECT_EQ(overviewValue(kFirstHead, "max_mean_k"), 5.0);
    EXPECT_EQ(overviewText(kFirstHead, "top1_chi"), "75.0 %");
    EXPECT_EQ(overviewText(kFirstHead, "effective_dims"), "1.60");
    EXPECT_THROW(overviewValue(kFirstHead, "top6_chi"), kernels::ArgumentError);
}

TEST(Overview, MarkedAndEmptyHeadsHaveNoValue) {
    const HeadProfile zero = makeHead({{1, 1, 0}, {1, 1, 0}});
    for (const auto& [name, title] : overviewQuantities()) {
        EXPECT_TRUE(std::isnan(overviewValue(makeUnusable(4), name))) << name;
        EXPECT_FALSE(std::isinf(overviewValue(zero, name))) << name;
    }
    EXPECT_TRUE(std::isnan(overviewValue(zero, "top5_chi")));
    EXPECT_EQ(overviewText(zero, "top5_chi"), "undefined");
}

TEST(Overview, MatrixHasLayersAsRowsAndHolesForMissingHeads) {
    DumpInfo dump;
    dump.layers = {makeLayer(2, "half", 5, 2), makeLayer(2, "half", 15, 3)};
    const HeadProfile other = makeHead({{1, 1, 1}, {1, 1, 1}}, {1.0}, 15, 2);
    const Figure figure = overviewFigure(makeResult({kFirstHead, makeUnusable(2, 15, 1), other}), dump, "top1_chi");
    ASSERT_TRUE(isDrawable(figure));
    const HeatMap map = marksOf<HeatMap>(figure.panels[0])[0];
    //                         head 0   1     2
    // layer 5                  0.75   NaN   NaN
    // layer 15                 NaN    NaN   0.5
    ASSERT_EQ(map.values->rows(), 2);
    ASSERT_EQ(map.values->cols(), 3);
    EXPECT_EQ((*map.values)(0, 0), 0.75F);
    EXPECT_EQ((*map.values)(1, 2), 0.5F);
    for (auto [row, col] : {std::pair{0, 1}, {0, 2}, {1, 0}, {1, 1}}) EXPECT_TRUE(std::isnan((*map.values)(row, col)));
    EXPECT_EQ(map.from, 0.0);
    EXPECT_EQ(map.to, 1.0);
    EXPECT_EQ(figure.panels[0].y.tickLabels, (std::vector<std::string>{"L5", "L15"}));
}

TEST(Overview, TakesAnySizeAndEveryQuantity) {
    std::vector<HeadProfile> heads;
    for (int i = 0; i < 300; ++i) heads.push_back(makeHead({{1, 1, 1}, {1, 1, 1.0 + i}}, {1.0}, i / 10, i % 10));
    std::set<std::string> names;
    for (const auto& [name, title] : overviewQuantities()) {
        const Figure figure = overviewFigure(makeResult(heads), {}, name);
        EXPECT_TRUE(isDrawable(figure));
        EXPECT_EQ(figure.title, title);
        names.insert(figure.name);
        EXPECT_TRUE(isDrawable(overviewFigure(makeResult({makeUnusable(3)}), {}, name))) << name;
        EXPECT_TRUE(isDrawable(overviewFigure(makeResult({kFirstHead}), {}, name))) << name;
    }
    EXPECT_EQ(names.size(), overviewQuantities().size());
    EXPECT_TRUE(saysWhyEmpty(overviewFigure(makeResult({}), {}, "top5_chi"), "no head"));
}

}  // namespace
}  // namespace dimscope::analysis::test
