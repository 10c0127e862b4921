// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/figures/intervention_figures.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/analysis_figures/figure_checks.h"

namespace dimscope::analysis::test {
namespace {

RetainedMethod madeMethod(const std::string& kernel, const std::vector<double>& eS, double eFull, double energy) {
    std::vector<RetainedCell> cells;
    for (std::size_t p = 0; p < eS.size(); ++p) {
        RetainedCell cell{LayerIndex{15}, PromptIndex{static_cast<int>(p)}};
        cell.eS = eS[p];
        cell.eFull = eFull;
        cell.eComplement = 0.7 * eFull;
        cell.energy = energy;
        cells.push_back(cell);
    }
    std::vector<PromptIndex> prompts;
    for (std::size_t p = 0; p < eS.size(); ++p) prompts.emplace_back(static_cast<int>(p));
    return {kernel, retainedRatio(std::move(cells), {}, prompts, 0)};
}

SubsetControl madeControl(const std::string& kernel, const std::vector<double>& ratios, double observed) {
    SubsetControl control{.kernel = kernel, .ratios = ratios, .wanted = ratios.size(), .quantiles = {}};
    for (const double ratio : ratios) control.atLeast += ratio >= observed ? 1 : 0;
    control.p = static_cast<double>(1 + control.atLeast) / static_cast<double>(1 + ratios.size());
    std::vector<double> sorted = ratios;
    std::sort(sorted.begin(), sorted.end());
    control.quantiles = {sorted.front(), sorted.front(), sorted[sorted.size() / 2], sorted.back(), sorted.back()};
    return control;
}

/// oal: R_S 1.5 above all subsets and its Gaussian control; taylor: 0.5, reached by one subset, Gaussian above it.
InterventionResult madeResult() {
    InterventionResult result;
    result.methods = {madeMethod("taylor", {0.4, 0.6}, 1.0, 0.5), madeMethod("oal", {1.4, 1.6}, 1.0, 2.0)};
    result.subsetControls = {madeControl("taylor", {0.1, 0.2, 0.55, 0.3}, 0.5),
                             madeControl("oal", {0.1, 0.2, 0.25, 0.3}, 1.5)};
    ControlDraw draw;
    draw.own = {madeMethod("taylor", {0.8, 0.8}, 1.0, 1.0), madeMethod("oal", {0.01, 0.03}, 1.0, 1.0)};
    draw.sameSize = draw.own;
    result.controls = {{ControlRung::Gaussian, {draw}}};
    for (const char* kernel : {"taylor", "oal"})
        for (const bool random : {false, true})
            for (const Index n : {1, 2, 4, 8}) {
                DosePoint point{kernel, random, n, static_cast<double>(n) / 8.0, static_cast<double>(n) / 6.0};
                point.ratio = !random && n == 4 && point.kernel == "oal" ? 1.9 : static_cast<double>(n) / 8.0;
                if (random) point.from = 0.5 * point.ratio, point.to = 1.5 * point.ratio;
                result.dose.push_back(point);
            }
    for (const char* kernel : {"taylor", "oal"})
        for (const int head : {0, 1, 2, 3}) result.heads.push_back({LayerIndex{15}, HeadIndex{head}, kernel});
    result.selected = 7;
    result.dimensions = 64;
    result.origin = "grouping";
    return result;
}

TEST(RetainedErrorFigure, RowsDescendAndEveryMarkIsThere) {
    const InterventionResult result = madeResult();
    const Figure figure = retainedErrorFigure(result);
    EXPECT_TRUE(isDrawable(figure));
    const Panel& panel = figure.panels.front();
    ASSERT_EQ(panel.y.tickLabels.size(), 2U);
    EXPECT_EQ(panel.y.ticks, (std::vector<double>{1.0, 0.0}));  // OAL above Taylor
    EXPECT_EQ(panel.y.tickLabels.back(), "Taylor");
    std::vector<double> open, filled;
    for (const Points& points : marksOf<Points>(panel))
        for (const Points::Point& point : points.points) (points.filled ? filled : open).push_back(point.x);
    EXPECT_EQ(filled, (std::vector<double>{1.5, 0.5}));
    for (const Points& points : marksOf<Points>(panel)) EXPECT_TRUE(points.ownFilling) << "open Taylor is filled too";
    const std::vector<Ribbon> subsets = marksOf<Ribbon>(panel);
    ASSERT_EQ(subsets.size(), 2U);
    EXPECT_EQ(subsets[0].parts.front().x, 0.1);  // of OAL
    EXPECT_EQ(subsets[0].parts.back().x, 0.3);
    ASSERT_EQ(open.size(), 2U);
    EXPECT_NEAR(open[0], 0.02, 1e-15);
    EXPECT_NEAR(open[1], 0.8, 1e-15);
    EXPECT_NEAR(standardErrorOf(result.methods[0].retained), 0.1, 1e-15);  // sd 0.1414 of two
    EXPECT_TRUE(saysWhyEmpty(retainedErrorFigure(InterventionResult{}), "restricted"));
}

TEST(RetainedErrorFigure, AnUndefinedRatioIsAWordNotAMark) {
    InterventionResult result = madeResult();
    result.methods[0] = madeMethod("taylor", {0.0, 0.0}, 0.0, 1.0);
    const Figure figure = retainedErrorFigure(result);
    EXPECT_TRUE(isDrawable(figure));
    const std::vector<std::string> written = writtenIn(figure.panels.front());
    EXPECT_EQ(std::count(written.begin(), written.end(), "undefined (E_full = 0)"), 1);
}

/// Words of all texts and spans of a panel.
std::string wordsIn(const Figure& figure) {
    std::string all;
    for (const std::string& text : writtenIn(figure.panels.front())) all += text + "\n";
    for (const Span& span : marksOf<Span>(figure.panels.front())) all += span.label + "\n";
    return all;
}

TEST(NullHistogramFigure, CountsAllDrawsAndSaysP) {
    InterventionResult result = madeResult();
    const Figure figure = nullHistogramFigure(result, 0);
    EXPECT_TRUE(isDrawable(figure));
    double counted = 0.0;
    for (const Bars& bars : marksOf<Bars>(figure.panels[0]))
        for (const Bars::Bar& bar : bars.bars) counted += bar.top;
    EXPECT_EQ(counted, 4.0);
    const std::string words = wordsIn(figure);
    EXPECT_NE(words.find("largest 55.0 %"), std::string::npos) << words;
    EXPECT_NE(words.find("1 of 4 reaches <i>R</i><sub>S</sub>: <i>p</i> ≤ 0.400"), std::string::npos) << words;
    EXPECT_TRUE(marksOf<Span>(figure.panels[0]).empty()) << "a draw reaches R_S: it stands not apart";
    const auto rules = marksOf<Rule>(figure.panels[0]);
    ASSERT_EQ(rules.size(), 1U);
    EXPECT_NEAR(rules[0].at, std::log10(0.5), 1e-12);
    result.subsetControls.clear();
    EXPECT_TRUE(saysWhyEmpty(nullHistogramFigure(result, 0), "random subset"));
    result.subsetControls = {madeControl("taylor", {0.2, 0.2, 0.2}, 0.5)};
    EXPECT_TRUE(isDrawable(nullHistogramFigure(result, 0)));
}

TEST(NullHistogramFigure, SaysHowFarTheLargestDrawIsAway) {
    InterventionResult result = madeResult();
    const Figure figure = nullHistogramFigure(result, 1);
    EXPECT_TRUE(isDrawable(figure));
    EXPECT_NE(wordsIn(figure).find("× 5.00"), std::string::npos) << wordsIn(figure);  // 1.5 over 0.3
    result.subsetControls[1].p = 1.0 / 1001.0;
    EXPECT_NE(wordsIn(nullHistogramFigure(result, 1)).find("no draw reaches <i>R</i><sub>S</sub>: <i>p</i> < 0.001"),
              std::string::npos);
}

TEST(NullHistogramFigure, AControlThatRunsSaysHowFarItIs) {
    InterventionResult result = madeResult();
    result.subsetControls[1].wanted = 1000;
    const Figure figure = nullHistogramFigure(result, 1);
    EXPECT_TRUE(isDrawable(figure));
    EXPECT_NE(figure.caption.find("4 of 1000 draws"), std::string::npos) << figure.caption;
}

TEST(DoseFigure, OneLinePerKernelAndTheRandomBand) {
    const InterventionResult result = madeResult();
    for (const DoseAxis axis : {DoseAxis::Dimensions, DoseAxis::ChiShare, DoseAxis::VarianceShare}) {
        const Figure figure = doseFigure(result, axis, "oal");
        EXPECT_TRUE(isDrawable(figure));
        const std::vector<Line> lines = marksOf<Line>(figure.panels[0]);
        ASSERT_EQ(lines.size(), 3U);  // mean of random orders; two kernels
        EXPECT_EQ(std::count_if(lines.begin(), lines.end(), [](const Line& line) { return line.markers; }), 2);
        for (const Line& line : lines) EXPECT_EQ(line.points.size(), 4U);
        EXPECT_GT(lines[2].widthPt, lines[1].widthPt) << "OAL is the chosen one";
        const std::vector<Ribbon> ribbons = marksOf<Ribbon>(figure.panels[0]);
        ASSERT_EQ(ribbons.size(), 1U);
        EXPECT_EQ(ribbons[0].parts.size(), 4U);
        EXPECT_EQ(ribbons[0].parts[1].to, 1.5 * 2.0 / 8.0);
    }
    EXPECT_TRUE(saysWhyEmpty(doseFigure(InterventionResult{}, DoseAxis::Dimensions, "oal"), "dose"));
}

TEST(RetainedRows, HaveWhatIsThereAndLeaveTheRestUndefined) {
    InterventionResult result = madeResult();
    result.subsetControls[1].wanted = 9;
    const std::vector<RetainedRow> rows = retainedRows(result);
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[1].kernel, "oal");
    EXPECT_EQ(rows[1].ratio, 1.5);
    EXPECT_NEAR(rows[1].error, 0.1, 1e-15);
    EXPECT_NEAR(rows[1].gaussian, 0.02, 1e-15);
    EXPECT_NEAR(rows[1].gaussianError, 0.01, 1e-15);  // sd 0.0141 of two
    EXPECT_EQ(rows[1].median, 0.25);
    EXPECT_EQ(rows[1].largest, 0.3);
    EXPECT_EQ(rows[1].subsets, 4U);
    EXPECT_EQ(rows[1].wanted, 9U);
    EXPECT_EQ(rows[0].p, 0.4);
    result.controls.clear();
    result.subsetControls.clear();
    EXPECT_TRUE(std::isnan(retainedRows(result)[0].gaussian));
    EXPECT_TRUE(std::isnan(retainedRows(result)[0].median));
    const Table table = retainedErrorTable(result);
    ASSERT_EQ(table.rows(), 2U);
    EXPECT_TRUE(std::holds_alternative<std::monostate>(table.find("gaussian")->cells[0]));
    EXPECT_TRUE(std::holds_alternative<std::monostate>(table.find("p")->cells[0]));
    EXPECT_EQ(std::get<double>(table.find("error")->cells[1]), rows[1].error);
}

TEST(InterventionTexts, SayWhatTheResultIsOf) {
    InterventionResult result = madeResult();
    EXPECT_EQ(interventionExtent(result), "Layer 15 · all heads");
    EXPECT_EQ(interventionDetails(result), "4 heads · <i>S</i> from grouping, mean |<i>S</i>| 1.75");
    result.heads.push_back({LayerIndex{5}, HeadIndex{3}, "oal"});
    result.provenance.selection = {{"heads", std::vector<std::int64_t>{3}}, {"length", std::int64_t{512}}};
    EXPECT_EQ(interventionExtent(result), "Layers 5 15 · heads 3");
    EXPECT_EQ(interventionDetails(result), "5 heads · <i>S</i> from grouping, mean |<i>S</i>| 1.40 · N 512");
    for (const int layer : {1, 2, 3, 4, 6}) result.heads.push_back({LayerIndex{layer}, HeadIndex{3}, "oal"});
    EXPECT_EQ(interventionExtent(result), "7 layers · heads 3");
    EXPECT_EQ(largestMethod(result), 1U);
    EXPECT_FALSE(largestMethod(InterventionResult{}).has_value());
    EXPECT_EQ(shortProbability(1.0 / 1001.0), "< 0.001");
    EXPECT_EQ(shortProbability(0.25), "0.250");
    EXPECT_EQ(percentWithError(1.538, 0.26), "154 ± 26");
    EXPECT_EQ(percentWithError(0.439, 0.0641), "43.9 ± 6.4");
    EXPECT_EQ(percentWithError(0.00157, 0.00023), "0.157 ± 0.023");
    EXPECT_EQ(percentWithError(0.439, kNaN), "43.9");
    EXPECT_EQ(percentWithError(kNaN, kNaN), "undefined");
}

std::string textsOf(const InterventionResult& result) {
    std::string all;
    for (const Finding& finding : interventionFindings(result)) all += finding.text + "\n";
    return all;
}

TEST(InterventionFindings, AreMadeFromTheNumbers) {
    InterventionResult result = madeResult();
    const std::string text = textsOf(result);
    EXPECT_NE(text.find("[OAL] on <i>S</i> alone makes 150 % of its full error."), std::string::npos) << text;
    EXPECT_NE(text.find("[Taylor] makes least there: 50 %."), std::string::npos) << text;
    EXPECT_NE(text.find("1 of 4 random subsets reach <i>R</i><sub>S</sub> of [Taylor]"), std::string::npos) << text;
    EXPECT_NE(text.find("no smaller <i>R</i><sub>S</sub> for [Taylor 80 %]"), std::string::npos) << text;
    EXPECT_NE(text.find("Dose: [OAL] peaks at 4 dimensions, 190 %."), std::string::npos) << text;
    EXPECT_EQ(text.find("oncentrat"), std::string::npos);
    EXPECT_EQ(interventionFindings(result).size(), 5U);
    result.subsetControls[0] = madeControl("taylor", {0.1, 0.2, 0.3, 0.3}, 0.5);
    result.controls.clear();
    const std::string other = textsOf(result);
    EXPECT_NE(other.find("No random subset of 4 reaches"), std::string::npos) << other;
    EXPECT_NE(other.find("[OAL]: <i>S</i> alone 150 %, the rest alone 70 %."), std::string::npos) << other;
    result.subsetControls[0].wanted = 100;
    EXPECT_NE(textsOf(result).find("of 4 so far reaches"), std::string::npos) << textsOf(result);
    EXPECT_TRUE(interventionFindings(InterventionResult{}).empty());
}

}  // namespace
}  // namespace dimscope::analysis::test
