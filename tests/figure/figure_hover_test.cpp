// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/figure/figure_hover.h"

#include <gtest/gtest.h>

#include "drawn_sample.h"
#include "io/figure/mark_geometry.h"
#include "sample_figures.h"

namespace dimscope::io {
namespace {

using analysis::Bars;
using analysis::Points;

TEST(Hover, FindsEveryBarByItsColumn) {
    for (double width : {910.0, 1820.0}) {
        const DrawnFigure drawn = drawnSample(contributionSample(), lightTheme(), QSizeF(width, 214.0));
        const PanelGeometry& place = drawn.geometry.panels[0];
        for (const Bars::Bar& bar : nthMark<Bars>(drawn.figure->panels[0], 0).bars) {
            const QPointF above(place.x.position(bar.x) + 4.0, place.plot.top() + 2.0);
            const auto hover = hoverAt(drawn, above);
            ASSERT_TRUE(hover.has_value());
            EXPECT_EQ(hover->key, bar.hover.key);
        }
    }
}

TEST(Hover, OfTwoBarsInAColumnTakesTheOneOnThePointersSide) {
    analysis::Figure figure = magnitudeSample();
    for (analysis::Mark& mark : figure.panels[0].marks)
        if (auto* bars = std::get_if<Bars>(&mark))
            for (Bars::Bar& bar : bars->bars) bar.hover.text = bar.top > 0.0 ? "q" : "k";
    const DrawnFigure drawn = drawnSample(figure, lightTheme(), QSizeF(910.0, 192.0));
    const PanelGeometry& place = drawn.geometry.panels[0];
    const double x = place.x.position(26.0);
    EXPECT_EQ(hoverAt(drawn, {x, place.y.position(3.0)})->text, "q");
    EXPECT_EQ(hoverAt(drawn, {x, place.y.position(-3.0)})->text, "k");
}

TEST(Hover, FindsPointsWithinReachOnly) {
    const DrawnFigure drawn = drawnSample(sortedSample(), lightTheme(), QSizeF(430.0, 220.0));
    const PanelGeometry& place = drawn.geometry.panels[0];
    const Points& points = nthMark<Points>(drawn.figure->panels[0], 0);
    const Points::Point& top = points.points.back();
    const QPointF centre(place.x.position(top.x), place.y.position(top.y));
    ASSERT_TRUE(hoverAt(drawn, centre + QPointF(3.0, -3.0)).has_value());
    EXPECT_EQ(hoverAt(drawn, centre + QPointF(3.0, -3.0))->key, top.hover.key);
    EXPECT_FALSE(hoverAt(drawn, QPointF(place.x.position(20.0), place.plot.top() + 5.0)).has_value());
}

TEST(Hover, WholeRowOfADotPlotAnswers) {
    const DrawnFigure drawn = drawnSample(dotRowsSample(), lightTheme(), QSizeF(910.0, 400.0));
    const PanelGeometry& place = drawn.geometry.panels[0];
    const auto hover = hoverAt(drawn, {place.plot.right() - 200.0, place.y.position(15.0)});
    ASSERT_TRUE(hover.has_value());
    EXPECT_EQ(hover->text, "Performer");
}

TEST(Hover, FindsLinesBetweenTheirPoints) {
    const DrawnFigure drawn = drawnSample(linesSample(), lightTheme(), QSizeF(490.0, 235.0));
    const PanelGeometry& place = drawn.geometry.panels[0];
    const double y = (place.y.position(0.23) + place.y.position(0.33)) / 2;
    const auto hover = hoverAt(drawn, {place.x.position(64.0), y});
    ASSERT_TRUE(hover.has_value());
    EXPECT_EQ(hover->text, "TaylorShift");
}

TEST(Hover, TellsTheCellOfAHeatMap) {
    analysis::Figure figure;
    analysis::HeatMap map;
    map.values = std::make_shared<const kernels::Matrix<float>>(2, 3, std::vector<float>{1, 2, 3, 4, 5, 6});
    map.to = 6.0;
    map.rowNames = {"token 0", "token 1"};
    analysis::Panel panel;
    panel.x.to = 3.0;
    panel.y.to = 2.0;
    panel.marks.push_back(map);
    figure.panels.push_back(panel);
    const DrawnFigure drawn = drawnSample(figure, lightTheme(), QSizeF(400.0, 200.0));
    const QRectF plot = drawn.geometry.panels[0].plot;
    const auto hover = hoverAt(drawn, plot.topLeft() + QPointF(plot.width() * 0.5, plot.height() * 0.25));
    ASSERT_TRUE(hover.has_value());
    EXPECT_EQ(hover->key, -1);
    EXPECT_EQ(hover->text, "token 0, column 1: 2");  // row 0 is the top one
}

TEST(Hover, NothingOutsideThePlots) {
    const DrawnFigure drawn = drawnSample(contributionSample(), lightTheme(), QSizeF(910.0, 214.0));
    EXPECT_FALSE(hoverAt(drawn, QPointF(5.0, 100.0)).has_value());
    EXPECT_FALSE(hoverAt(drawn, QPointF(400.0, 210.0)).has_value());
}

}  // namespace
}  // namespace dimscope::io
