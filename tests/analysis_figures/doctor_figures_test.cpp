// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/figures/doctor_figures.h"

#include <cmath>

#include "tests/analysis_figures/figure_checks.h"

namespace dimscope::analysis::test {
namespace {

DoctorResult madeUp() {
    DoctorResult result;
    result.prompts = 2;
    result.headMasses = {{LayerIndex{4}, HeadIndex{0}, 0.5, 0}, {LayerIndex{4}, HeadIndex{1}, kNaN, -1}};
    result.checks = {{"padding", {}, CheckStatus::Warn, "prompt 0", kNaN},
                     {"output reading", LayerIndex{4}, CheckStatus::Pass, "as stated", 1e-7},
                     {"readable", LayerIndex{5}, CheckStatus::Fail, "the part from [0, 1] of <q> is missing", kNaN},
                     {"scale", {}, CheckStatus::Skipped, "no row", kNaN}};
    return result;
}

TEST(DoctorFigures, FailuresComeFirstAndHaveNoMarkup) {
    const std::vector<Finding> findings = doctorFindings(madeUp());
    ASSERT_EQ(findings.size(), 3U);
    EXPECT_EQ(findings[0].text, "readable of layer 5: the part from (0, 1) of (q) is missing.");
    EXPECT_EQ(findings[1].text, "padding: prompt 0.");
    EXPECT_EQ(findings[2].text, "output reading of layer 4: as stated.");
}

TEST(DoctorFigures, SinksByLayerAndHead) {
    const Figure figure = sinkMassFigure(madeUp());
    EXPECT_TRUE(isDrawable(figure));
    const auto maps = marksOf<HeatMap>(figure.panels.front());
    ASSERT_EQ(maps.size(), 1U);
    EXPECT_FLOAT_EQ((*maps[0].values)(0, 0), 0.5F);
    EXPECT_TRUE(std::isnan((*maps[0].values)(0, 1)));
    EXPECT_TRUE(saysWhyEmpty(sinkMassFigure({}), "queries"));
}

}  // namespace
}  // namespace dimscope::analysis::test
