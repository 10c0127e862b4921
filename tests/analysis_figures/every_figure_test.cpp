// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "analysis/figures/figures.h"
#include "tests/analysis_figures/figure_checks.h"
#include "tests/analysis_figures/made_up.h"

namespace dimscope::analysis::test {
namespace {

HeadProfile randomHead(int headDim, int prompts, unsigned seed, int layer = 15, int head = 4) {
    std::mt19937 engine(seed);
    std::lognormal_distribution<double> draw(0.0, 1.5);
    std::vector<Dim> dims;
    for (int r = 0; r < headDim; ++r) dims.push_back({draw(engine), draw(engine), draw(engine), draw(engine)});
    std::vector<double> factors;
    for (int p = 0; p < prompts; ++p) factors.push_back(draw(engine));
    return makeHead(dims, factors, layer, head);
}

std::vector<Figure> headFigures(const HeadProfile& head, const LayerInfo& layer, const HeadGrouping* grouping,
                                const FigureOptions& options) {
    const ProfileResult result = makeResult({head});
    const kernels::Matrix<float> tokens(5, static_cast<Index>(head.chi.size()));
    GroupingResult groups;
    std::vector<Figure> figures{magnitudeFigure(result, head, layer, grouping, options),
                                contributionFigure(result, head, layer, grouping, options),
                                sortedProfileFigure(result, head, grouping, options),
                                tokenMapFigure(head, PromptIndex{0}, tokens.view(), tokens.view(), {})};
    if (grouping) figures.push_back(supportFigure(groups, *grouping));
    return figures;
}

TEST(EveryFigure, StandsInsideItsAxesForAnySize) {
    for (int d : {1, 2, 3, 64, 80, 256})
        for (int prompts : {1, 3, 11})
            for (const std::string layout : {"half", "interleaved", "none"})
                for (int variant = 0; variant < 4; ++variant) {
                    SCOPED_TRACE(testing::Message()
                                 << "d " << d << " prompts " << prompts << " " << layout << " variant " << variant);
                    const HeadProfile head = randomHead(d, prompts, static_cast<unsigned>(d + prompts));
                    const LayerInfo layer = makeLayer(d, layout);
                    FigureOptions options;
                    options.foldPairs = variant % 2 == 1;
                    options.maximum = variant == 3;
                    if (variant > 1) options.hovered = d - 1;
                    if (variant > 1) options.brushed = {0, d - 1};
                    std::vector<Cut> cuts;
                    if (d > 1) cuts.push_back({d - 2, 0.4});
                    if (d > 8) cuts.push_back({d - 6, 0.9, true});
                    const HeadGrouping grouping = makeGrouping(head, cuts, 1.0);
                    for (const HeadGrouping* given : {static_cast<const HeadGrouping*>(nullptr), &grouping}) {
                        for (const Figure& figure : headFigures(head, layer, given, options)) {
                            EXPECT_TRUE(isDrawable(figure));
                            EXPECT_GT(figure.widthMm, 0.0);
                        }
                        EXPECT_FALSE(profileFindings(head, layer, given).empty());
                    }
                }
}

TEST(EveryFigure, SaysWhyAHeadHasNone) {
    for (int d : {1, 64}) {
        const HeadProfile marked = makeUnusable(d),
                          zero = makeHead(std::vector<Dim>(static_cast<std::size_t>(d), Dim{0, 0, 0}));
        const LayerInfo layer = makeLayer(d);
        const ProfileResult result = makeResult({marked});
        const HeadGrouping grouping = makeGrouping(zero, {});
        EXPECT_TRUE(saysWhyEmpty(magnitudeFigure(result, marked, layer, nullptr, {}), "12 values"));
        EXPECT_TRUE(saysWhyEmpty(contributionFigure(result, marked, layer, nullptr, {}), "12 values"));
        EXPECT_TRUE(saysWhyEmpty(sortedProfileFigure(result, marked, nullptr, {}), "12 values"));
        EXPECT_TRUE(saysWhyEmpty(contributionFigure(result, zero, layer, &grouping, {}), "zero"));
        EXPECT_TRUE(saysWhyEmpty(sortedProfileFigure(result, zero, &grouping, {}), "zero"));
        EXPECT_TRUE(isDrawable(magnitudeFigure(result, zero, layer, &grouping, {})))
            << "magnitudes of zero are numbers";
    }
}

TEST(EveryFigure, HasItsOwnNameAndCarriesItsOrigin) {
    std::set<std::string> names;
    std::size_t count = 0;
    const auto take = [&](const Figure& figure) {
        names.insert(figure.name);
        ++count;
    };
    ComparisonResult comparison = makeComparison({{"oal", {0.8}}, {"performer", {0.5}}});
    comparison.provenance.verb = "compare";
    comparison.warnings = {{"code", "", "text"}};
    for (int h : {0, 1}) {
        const HeadProfile head = randomHead(8, 2, 7, 15, h);
        const HeadGrouping grouping = makeGrouping(head, {{6, 0.5}});
        for (const Figure& figure : headFigures(head, makeLayer(8), &grouping, {})) take(figure);
        for (const Figure& figure : {kernelErrorFigure(comparison, LayerIndex{15}, HeadIndex{h}),
                                     errorByPositionFigure(comparison, LayerIndex{15}, HeadIndex{h}, 16),
                                     weightsFigure(comparison, LayerIndex{15}, HeadIndex{h}, "oal"),
                                     weightsFigure(comparison, LayerIndex{15}, HeadIndex{h}, "performer")}) {
            take(figure);
            EXPECT_EQ(figure.provenance.verb, "compare");
            EXPECT_EQ(figure.warnings, comparison.warnings);
        }
    }
    take(outlierCountFigure({}));
    for (const auto& [name, title] : overviewQuantities()) take(overviewFigure(makeResult({}), {}, name));
    EXPECT_EQ(names.size(), count);
    EXPECT_EQ(
        magnitudeFigure(makeResult({makeUnusable(2)}), makeUnusable(2), makeLayer(2), nullptr, {}).warnings.size(), 1U);
}

}  // namespace
}  // namespace dimscope::analysis::test
