// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/pgfplots_writer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kernels/error.h"
#include "tests/support/temporary_folder.h"

namespace dimscope::tests {
namespace {

using namespace analysis;

constexpr double kInf = std::numeric_limits<double>::infinity();

std::size_t occurrences(const std::string& text, const std::string& word) {
    std::size_t count = 0;
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + word.size())) ++count;
    return count;
}

std::string sourceOf(const Mark& mark, Axis x = {}, Axis y = {}) {
    Figure figure;
    figure.panels.push_back({std::move(x), std::move(y), {mark}, 1.0, ""});
    return io::pgfplotsText(figure);
}

Axis logAxis(double from, double to) {
    Axis axis;
    axis.from = from;
    axis.to = to;
    axis.scale = AxisScale::Log;
    return axis;
}

TEST(Pgfplots, IsACompleteDocument) {
    Figure figure;
    figure.title = "50% of \\input";
    figure.caption = "two\nlines";
    figure.panels = {Panel{}, Panel{}};
    figure.warnings = {{"odd", "layer 3", "a warning"}};
    const std::string text = io::pgfplotsText(figure);
    EXPECT_TRUE(text.starts_with("% 50% of \\input: two\n% lines\n% dimscope"));
    EXPECT_NE(text.find("% Warning: layer 3: a warning\n"), std::string::npos);
    EXPECT_EQ(occurrences(text, "\\begin{axis}"), 2U);
    EXPECT_EQ(occurrences(text, "\\end{axis}"), 2U);
    EXPECT_TRUE(text.ends_with("\\end{tikzpicture}\n\\end{document}\n"));
    EXPECT_EQ(occurrences(text, "{"), occurrences(text, "}"));
}

TEST(Pgfplots, ARibbonIsAnAreaAndASpanAnArrow) {
    Axis x, y;
    x.to = 2.0;
    y.to = 4.0;
    const std::string area =
        sourceOf(Ribbon{{{0.0, 1.0, 2.0}, {1.0, std::nan(""), 3.0}, {2.0, 0.5, 9.0}}, {Role::BulkKey, {}}}, x, y);
    EXPECT_NE(area.find("\\fill[inkBulkKey, fill opacity=0.6] (axis cs:0,2) -- (axis cs:2,4) -- (axis cs:2,0.5) -- "
                        "(axis cs:0,1) -- cycle;"),
              std::string::npos)
        << area;
    const std::string arrow = sourceOf(Span{0.5, 1.5, 1.0, "× 3", {}}, x, y);
    EXPECT_NE(arrow.find("<->, >=stealth] (axis cs:0.5,1) -- (axis cs:1.5,1);"), std::string::npos) << arrow;
    EXPECT_NE(arrow.find("at (axis cs:1,1)"), std::string::npos) << arrow;
    EXPECT_EQ(sourceOf(Span{0.5, 9.0, 1.0, "× 3", {}}, x, y).find("stealth"), std::string::npos);
}

TEST(Pgfplots, TextsMayHaveSeveralLinesAndMarksTheirOwnFilling) {
    const std::string text = sourceOf(Text{0.5, 0.5, "one\ntwo", Text::Anchor::Left, {}, false});
    EXPECT_NE(text.find("{one}"), std::string::npos) << text;
    EXPECT_NE(text.find("yshift=-3.40mm"), std::string::npos) << text;
    EXPECT_NE(text.find("{two}"), std::string::npos) << text;
    Points points;
    points.points.push_back({0.5, 0.5, {Role::Kernel, "performer"}, 4.0, {}, {}});
    const std::string filled = sourceOf(points);
    points.ownFilling = true;
    points.filled = false;
    EXPECT_NE(sourceOf(points), filled);
}

TEST(Pgfplots, BarsHaveBaseWhiskerAndLabel) {
    Bars bars;
    bars.bars.push_back({0.5, 0.0, 0.4, {Role::OutlierQuery, {}}, 0.3, 0.5, "5_4", {}});
    bars.bars.push_back({0.5, 0.0, std::nan(""), {Role::BulkQuery, {}}, {}, {}, "gone", {}});
    const std::string text = sourceOf(bars);
    EXPECT_NE(text.find("\\fill[inkOutlierQuery] (axis cs:0.15,0) rectangle (axis cs:0.85,0.4);"), std::string::npos)
        << text;
    EXPECT_NE(text.find("(axis cs:0.5,0.3) -- (axis cs:0.5,0.5)"), std::string::npos);
    EXPECT_NE(text.find("{5\\_4}"), std::string::npos);
    EXPECT_EQ(text.find("gone"), std::string::npos);
    EXPECT_NE(text.find("\\definecolor{inkOutlierQuery}{HTML}{D55E00}"), std::string::npos);
}

TEST(Pgfplots, LinesBreakAtNaN) {
    Line line;
    line.points = {{0.0, 0.5}, {0.25, std::nan("")}, {0.5, 0.75}, {1.0, kInf}};
    line.ink = {Role::Kernel, "linear_zeros"};
    line.markers = line.dashed = true;
    line.endLabel = "zeros";
    const std::string text = sourceOf(line);
    EXPECT_NE(text.find("0 0.5\n0.25 nan\n0.5 0.75\n"), std::string::npos) << text;
    EXPECT_EQ(text.find("inf"), std::string::npos);
    EXPECT_NE(text.find("inkLinearZeros, line width=1pt, dashed"), std::string::npos) << text;
    EXPECT_NE(text.find("mark=triangle*, mark options={solid, draw=inkLinearZeros, fill=inkLinearZeros, rotate=180}"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("{zeros}"), std::string::npos);
}

TEST(Pgfplots, EndLabelsArePushedApart) {
    Figure figure;
    figure.panels.emplace_back();
    for (const double y : {0.5, 0.5001, 0.5002}) {
        Line line;
        line.points = {{0.0, 0.0}, {1.0, y}};
        line.endLabel = "label";
        figure.panels.front().marks.emplace_back(line);
    }
    const std::string text = io::pgfplotsText(figure);
    EXPECT_NE(text.find("yshift=0.00mm"), std::string::npos) << text;
    EXPECT_NE(text.find("yshift=2.80mm"), std::string::npos) << text;
    EXPECT_NE(text.find("yshift=5.59mm"), std::string::npos) << text;  // less the way it was higher already
}

TEST(Pgfplots, PointsBeyondALogAxisAreArrows) {
    Points points;
    points.points.push_back({0.5, 0.1, {Role::Kernel, "elu"}, 4.0, "inside", {}});
    points.points.push_back({0.5, 100.0, {Role::Kernel, "elu"}, 4.0, "", {}});
    points.points.push_back({0.5, 0.0, {Role::Kernel, "elu"}, 4.0, "", {}});
    const std::string text = sourceOf(points, {}, logAxis(0.01, 1.0));
    EXPECT_NE(text.find("ymode=log"), std::string::npos);
    EXPECT_NE(text.find("table {\n0.5 0.1\n};"), std::string::npos) << text;
    EXPECT_EQ(occurrences(text, "\\uparrow"), 1U);
    EXPECT_EQ(occurrences(text, "\\downarrow"), 1U);
    EXPECT_NE(text.find("{inside}"), std::string::npos);
    EXPECT_NE(text.find("mark=square*"), std::string::npos);
    EXPECT_NE(text.find("fill=white"), std::string::npos);  // elu's marker is open
}

TEST(Pgfplots, RulesBandsArcsAndTexts) {
    const std::string rule =
        sourceOf(Rule{Rule::Direction::Horizontal, 0.25, {Role::Secondary, {}}, true, "uniform", false});
    EXPECT_NE(rule.find("\\draw[inkSecondary, dashed] (axis cs:0,0.25) -- (axis cs:1,0.25);"), std::string::npos)
        << rule;
    EXPECT_NE(rule.find("{uniform}"), std::string::npos);
    const std::string beyond =
        sourceOf(Rule{Rule::Direction::Vertical, 2.0, {Role::Secondary, {}}, true, "far", false});
    EXPECT_EQ(beyond.find("far"), std::string::npos);
    const std::string band = sourceOf(Band{Rule::Direction::Vertical, 0.25, 7.0, {Role::Band, {}}});
    EXPECT_NE(band.find("\\fill[inkBand] (axis cs:0.25,0) rectangle (axis cs:1,1);"), std::string::npos) << band;
    Axis below;
    below.from = -1.0;
    const std::string arc = sourceOf(Arc{0.25, 0.75, 0.5, {Role::Partner, {}}, "22–54"}, {}, below);
    EXPECT_NE(arc.find("(axis cs:0.5,-0.5)"), std::string::npos) << arc;
    EXPECT_NE(arc.find("{22--54}"), std::string::npos);
    EXPECT_EQ(arc.find("ytick={-"), std::string::npos);  // below zero there are arcs, not values
    const std::string text = sourceOf(Text{0.5, 0.5, "cut <i>τ</i>", Text::Anchor::Right, {}, true});
    EXPECT_NE(text.find("anchor=east, font=\\footnotesize\\bfseries"), std::string::npos) << text;
    EXPECT_NE(text.find("{cut \\textit{\\ensuremath{\\tau}}}"), std::string::npos) << text;
}

HeatMap heatMap(kernels::Index rows, kernels::Index cols) {
    auto values = std::make_shared<kernels::Matrix<float>>(rows, cols);
    std::fill(values->values().begin(), values->values().end(), 0.25F);
    HeatMap map;
    map.barTitle = "weight";
    map.values = values;
    return map;
}

TEST(Pgfplots, HeatMapsHatchNaNAndShowABar) {
    HeatMap map = heatMap(2, 3);
    auto values = std::make_shared<kernels::Matrix<float>>(*map.values);
    (*values)(0, 1) = (*values)(0, 2) = std::nanf("");
    (*values)(1, 2) = 7.0F;  // above the scale
    map.values = values;
    const std::string text = sourceOf(map);
    EXPECT_NE(text.find("mesh/cols=3"), std::string::npos);
    EXPECT_NE(
        text.find("0.5 0.5 0.2500\n1.5 0.5 0.0000\n2.5 0.5 0.0000\n0.5 1.5 0.2500\n1.5 1.5 0.2500\n2.5 1.5 1.0000\n"),
        std::string::npos)
        << text;
    EXPECT_NE(text.find("(axis cs:1,0) rectangle (axis cs:3,1)"), std::string::npos) << text;
    EXPECT_NE(text.find("y dir=reverse"), std::string::npos);
    EXPECT_NE(text.find("ylabel={weight}"), std::string::npos);
}

TEST(Pgfplots, LargeHeatMapsKeepTheLargestOfEachCell) {
    HeatMap map = heatMap(300, 1);
    auto values = std::make_shared<kernels::Matrix<float>>(*map.values);
    (*values)(299, 0) = 1.0F;
    map.values = values;
    const std::string text = sourceOf(map);
    EXPECT_NE(text.find("% Pooled"), std::string::npos);
    EXPECT_EQ(occurrences(text, " 1.0000\n"), 2U);  // one cell, in two halves
    EXPECT_EQ(occurrences(text, " 0.2500\n"), 254U);
}

TEST(Pgfplots, EmptyAndOddFiguresAreSourceToo) {
    EXPECT_FALSE(io::pgfplotsText({}).empty());
    Axis broken;
    broken.from = broken.to = std::nan("");
    const std::string text = sourceOf(Points{}, broken, logAxis(-1.0, 0.0));
    EXPECT_EQ(text.find("min=nan"), std::string::npos);
    EXPECT_NE(sourceOf(HeatMap{}).find("\\end{axis}"), std::string::npos);
}

TEST(Pgfplots, IsWrittenAsTikz) {
    const TemporaryFolder folder;
    Figure figure;
    figure.panels.emplace_back();
    io::writePgfplots(figure, folder / "f.tikz");
    EXPECT_EQ(contentOf(folder / "f.tikz"), io::pgfplotsText(figure));
    EXPECT_THROW(io::writePgfplots(figure, folder / "f.svg"), kernels::ArgumentError);
    EXPECT_EQ(folder.names(), std::vector<std::string>{"f.tikz"});
}

}  // namespace
}  // namespace dimscope::tests
