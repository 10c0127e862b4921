// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/figure/figure_chart.h"

#include <gtest/gtest.h>

#include <QGraphicsScene>
#include <QImage>
#include <QPainter>
#include <cmath>
#include <string>

#include "drawn_sample.h"
#include "io/figure/end_labels.h"
#include "io/figure/figure_writer.h"
#include "io/figure/mark_geometry.h"
#include "sample_figures.h"

namespace dimscope::io {
namespace {

using analysis::Bars;
using analysis::Figure;

// Qt Charts tells its troubles on stderr alone.
class QtWarnings {
public:
    QtWarnings() {
        texts().clear();
        previous_ = qInstallMessageHandler(
            [](QtMsgType, const QMessageLogContext&, const QString& text) { texts().push_back(text.toStdString()); });
    }
    ~QtWarnings() { qInstallMessageHandler(previous_); }
    QtWarnings(const QtWarnings&) = delete;
    QtWarnings& operator=(const QtWarnings&) = delete;
    static std::vector<std::string>& texts() {
        static std::vector<std::string> all;
        return all;
    }

private:
    QtMessageHandler previous_;
};

std::vector<Figure> samples() {
    return {magnitudeSample(), contributionSample(), sortedSample(), dotRowsSample(), linesSample(), weightsSample()};
}

int pixelsOf(const QImage& image, const QColor& colour, const QRectF& area) {
    int count = 0;
    const QRect pixels = area.toAlignedRect().intersected(image.rect());
    for (int y = pixels.top(); y <= pixels.bottom(); ++y)
        for (int x = pixels.left(); x <= pixels.right(); ++x) count += image.pixelColor(x, y) == colour;
    return count;
}

Figure figureOf(analysis::Line line, analysis::AxisScale scale) {
    Figure figure;
    analysis::Panel panel;
    panel.x.to = 6.0;
    panel.x.grid = false;
    panel.y.from = scale == analysis::AxisScale::Log ? 0.1 : 0.0;
    panel.y.to = 10.0;
    panel.y.grid = false;
    panel.y.scale = scale;
    line.ink = {analysis::Role::Accent, {}};
    line.widthPt = 6.0;
    panel.marks.push_back(std::move(line));
    figure.panels.push_back(std::move(panel));
    return figure;
}

TEST(FigureChart, DrawsEveryMarkInEveryThemeAndScale) {
    const QtWarnings warnings;
    for (const Figure& figure : samples())
        for (const FigureTheme& theme : {lightTheme(), darkTheme(), printTheme()})
            for (double scale : {1.0, 2.0}) {
                const QImage image = renderFigure(figure, theme, QSize(600, 300), scale);
                ASSERT_EQ(image.size(), QSize(600, 300) * scale) << figure.name;
                EXPECT_EQ(image.pixelColor(1, image.height() - 1), theme.ground) << figure.name;
                const int ground = pixelsOf(image, theme.ground, QRectF(image.rect()));
                EXPECT_LT(ground, image.width() * image.height() * 98 / 100) << figure.name;
            }
    EXPECT_TRUE(QtWarnings::texts().empty()) << QtWarnings::texts().front();
}

TEST(FigureChart, EmptyFiguresDrawWithoutTrouble) {
    Figure empty;
    EXPECT_EQ(renderFigure(empty, lightTheme(), QSize(100, 50), 1.0).size(), QSize(100, 50));
    empty.panels.emplace_back();
    EXPECT_EQ(renderFigure(empty, lightTheme(), QSize(100, 50), 1.0).size(), QSize(100, 50));
    empty.panels[0].marks = {analysis::Bars{}, analysis::Points{}, analysis::Line{}, analysis::HeatMap{}};
    EXPECT_EQ(renderFigure(empty, lightTheme(), QSize(100, 50), 1.0).size(), QSize(100, 50));
    for (const Figure& figure : samples())  // a window can get smaller than any margin
        EXPECT_EQ(renderFigure(figure, lightTheme(), QSize(20, 8), 1.0).size(), QSize(20, 8));
    FigureChart without;
    without.resize(200.0, 100.0);
    EXPECT_FALSE(without.hoverAt({50.0, 50.0}).has_value());
    EXPECT_TRUE(without.panelRects().empty());
}

TEST(FigureChart, BarEdgesLieOnWholePixels) {
    for (double width : {910.0, 733.5, 501.0, 300.0}) {
        const DrawnFigure drawn = drawnSample(magnitudeSample(), lightTheme(), QSizeF(width, 192.0));
        for (std::size_t side : {0u, 1u}) {
            const Bars& bars = nthMark<Bars>(drawn.figure->panels[0], side);
            double previous = -1.0, firstWidth = 0.0;
            for (const Bars::Bar& bar : bars.bars) {
                const QRectF rect = barRect(bars, bar, drawn.geometry.panels[0], drawn.theme);
                for (double edge : {rect.left(), rect.right(), rect.top(), rect.bottom()})
                    EXPECT_EQ(edge, std::round(edge)) << width;
                if (firstWidth == 0.0) firstWidth = rect.width();
                EXPECT_EQ(rect.width(), firstWidth);
                EXPECT_GE(rect.left(), previous) << "bars overlap at width " << width;
                previous = rect.right();
            }
        }
    }
}

// The same bar, seen as colour in the image and found by the pointer, at both scales.
TEST(FigureChart, ImageAndPointerAgree) {
    const Figure figure = contributionSample();
    FigureChart chart;
    chart.setFigure(std::make_shared<const Figure>(figure));
    chart.resize(910.0, 214.0);
    const Bars& bars = nthMark<Bars>(figure.panels[0], 0);
    const FigureTheme theme = lightTheme();
    for (double scale : {1.0, 2.0}) {
        const QImage image = renderFigure(figure, theme, QSize(910, 214), scale);
        for (int r : {22, 26, 54, 58}) {
            const QRectF rect =
                barRect(bars, bars.bars[static_cast<std::size_t>(r)], chart.drawn().geometry.panels[0], theme);
            const double y = rect.bottom() - 6.0;
            const auto colourAt = [&](double x) {
                return image.pixelColor(static_cast<int>(x * scale), static_cast<int>(y * scale));
            };
            EXPECT_EQ(colourAt(rect.left()), theme.outlierQuery) << r << " at scale " << scale;
            EXPECT_EQ(colourAt(rect.right() - 1.0 / scale), theme.outlierQuery) << r << " at scale " << scale;
            EXPECT_NE(colourAt(rect.left() - 1.0 / scale), theme.outlierQuery) << r << " at scale " << scale;
            EXPECT_NE(colourAt(rect.right()), theme.outlierQuery) << r << " at scale " << scale;
            const auto hover = chart.hoverAt(QPointF(rect.left() + 1.0, y));
            ASSERT_TRUE(hover.has_value());
            EXPECT_EQ(hover->key, r);
        }
    }
}

TEST(FigureChart, QtChartsDrawsLinesWhereTheAxesSay) {
    const FigureTheme theme = lightTheme();
    for (analysis::AxisScale scale : {analysis::AxisScale::Linear, analysis::AxisScale::Log}) {
        analysis::Line line;
        line.points = {{0.0, 0.5}, {2.0, 5.0}, {4.0, 2.0}, {6.0, 8.0}};
        const DrawnFigure drawn = drawnSample(figureOf(line, scale), theme, QSizeF(400.0, 200.0));
        const QImage image = renderFigure(*drawn.figure, theme, QSize(400, 200), 1.0);
        const PanelGeometry& place = drawn.geometry.panels[0];
        for (const auto& [x, y] : {line.points[1], line.points[2]}) {
            const QPointF at(place.x.position(x), place.y.position(y));
            EXPECT_EQ(image.pixelColor(at.toPoint()), theme.accent) << x << ", " << y;
        }
    }
}

TEST(FigureChart, NonPositiveValueOnALogAxisDoesNotLoseTheLine) {
    const QtWarnings warnings;
    const FigureTheme theme = lightTheme();
    analysis::Line line;
    line.points = {{0.0, 1.0}, {1.0, 2.0}, {2.0, 0.0}, {3.0, 4.0}, {4.0, 3.0}};
    const DrawnFigure drawn = drawnSample(figureOf(line, analysis::AxisScale::Log), theme, QSizeF(400.0, 200.0));
    const QImage image = renderFigure(*drawn.figure, theme, QSize(400, 200), 1.0);
    const PanelGeometry& place = drawn.geometry.panels[0];
    const auto columns = [&](double from, double to) {
        return QRectF(place.x.position(from), 0.0, place.x.position(to) - place.x.position(from), 200.0);
    };
    EXPECT_GT(pixelsOf(image, theme.accent, columns(0.1, 0.9)), 100);
    EXPECT_GT(pixelsOf(image, theme.accent, columns(3.1, 3.9)), 100);
    EXPECT_GT(pixelsOf(image, theme.accent, columns(1.9, 2.1)), 5) << "the value is not marked as off the axis";
    EXPECT_TRUE(QtWarnings::texts().empty()) << QtWarnings::texts().front();
}

TEST(FigureChart, NanLeavesAGapInTheLine) {
    const FigureTheme theme = lightTheme();
    analysis::Line line;
    line.points = {{0.0, 1.0}, {2.0, 1.0}, {3.0, std::nan("")}, {4.0, 1.0}, {6.0, 1.0}};
    const DrawnFigure drawn = drawnSample(figureOf(line, analysis::AxisScale::Linear), theme, QSizeF(400.0, 200.0));
    const QImage image = renderFigure(*drawn.figure, theme, QSize(400, 200), 1.0);
    const AxisMap& x = drawn.geometry.panels[0].x;
    EXPECT_EQ(pixelsOf(image, theme.accent, QRectF(x.position(2.1), 0, x.position(3.9) - x.position(2.1), 200)), 0);
    EXPECT_GT(pixelsOf(image, theme.accent, QRectF(x.position(4.1), 0, x.position(5.9) - x.position(4.1), 200)), 100);
}

TEST(FigureChart, HighlightTurnsHoveredIntoInkAndPartnerIntoBlue) {
    QGraphicsScene scene;
    auto* chart = new FigureChart;
    scene.addItem(chart);
    Figure figure = contributionSample();
    std::erase_if(figure.panels[0].marks,
                  [](const analysis::Mark& mark) { return std::holds_alternative<analysis::Band>(mark); });
    chart->setFigure(std::make_shared<const Figure>(figure));
    chart->resize(910.0, 214.0);
    chart->setHighlight({26}, 58, 54);
    QImage image(910, 214, QImage::Format_RGB32);
    QPainter painter(&image);
    scene.render(&painter, QRectF(image.rect()), QRectF(0, 0, 910, 214));
    painter.end();

    const PanelGeometry& place = chart->drawn().geometry.panels[0];
    const Bars& bars = nthMark<Bars>(figure.panels[0], 0);
    const auto inBar = [&](std::size_t r) {
        const QRectF rect = barRect(bars, bars.bars[r], place, lightTheme());
        return image.pixelColor(QPoint(static_cast<int>(rect.left()), static_cast<int>(rect.bottom()) - 6));
    };
    EXPECT_EQ(inBar(58), lightTheme().text);
    EXPECT_EQ(inBar(54), lightTheme().partner);
    EXPECT_EQ(inBar(22), lightTheme().outlierQuery);
    const QPoint overBar(static_cast<int>(place.x.position(26.0)) - 5, static_cast<int>(place.plot.top()) + 1);
    EXPECT_EQ(image.pixelColor(overBar), lightTheme().band);
}

TEST(FigureChart, ARibbonFillsTheAreaBetweenItsLines) {
    Figure figure;
    analysis::Panel panel;
    panel.x.to = 2.0;
    panel.y.to = 4.0;
    panel.x.grid = panel.y.grid = false;
    panel.marks.push_back(
        analysis::Ribbon{{{0.0, 1.0, 2.0}, {1.0, 1.0, 2.0}, {2.0, 1.0, 2.0}}, {analysis::Role::BulkKey, {}}});
    panel.marks.push_back(analysis::Span{0.5, 1.5, 3.0, "× 3", {analysis::Role::Accent, {}}});
    figure.panels.push_back(panel);
    const FigureTheme theme = lightTheme();
    const QImage image = renderFigure(figure, theme, QSize(400, 300), 1.0);
    const FigureGeometry geometry = layoutFigure(figure, theme, QSizeF(400, 300));
    const PanelGeometry& place = geometry.panels[0];
    const auto at = [&](double x, double y) {
        return image.pixelColor(QPointF(place.x.position(x), place.y.position(y)).toPoint());
    };
    for (const double x : {0.2, 1.0, 1.8}) {
        EXPECT_NE(at(x, 1.5), theme.ground) << x;
        EXPECT_EQ(at(x, 1.5), at(0.5, 1.2)) << "one colour everywhere";
        EXPECT_EQ(at(x, 0.8), theme.ground) << x;
        EXPECT_EQ(at(x, 2.2), theme.ground) << x;
    }
    EXPECT_EQ(at(0.6, 3.0), theme.accent);
    EXPECT_EQ(at(0.4, 3.0), theme.ground);
    EXPECT_EQ(at(1.6, 3.0), theme.ground);
}

/// Two lines from one point to another, far apart in between.
Figure bundleOf(bool near) {
    Figure figure;
    analysis::Panel panel;
    panel.x.to = 10.0;
    panel.y.to = 2.0;
    panel.x.grid = panel.y.grid = false;
    for (const double bend : {1.8, 0.2}) {
        analysis::Line line;
        line.points = {{0.0, 1.0}, {5.0, bend}, {10.0, 1.0}};
        line.ink = {analysis::Role::Accent, {}};
        line.endLabel = "name";
        line.labelNear = near;
        panel.marks.push_back(line);
    }
    figure.panels.push_back(panel);
    return figure;
}

TEST(FigureChart, NamesOfLinesThatMeetStandBesideThem) {
    const FigureTheme theme = lightTheme();
    const Figure near = bundleOf(true), atEnd = bundleOf(false);
    const FigureGeometry geometry = layoutFigure(near, theme, QSizeF(500, 300));
    EXPECT_GT(geometry.panels[0].plot.right(), layoutFigure(atEnd, theme, QSizeF(500, 300)).panels[0].plot.right())
        << "no room is kept at the end";
    Figure unnamed = near;
    for (analysis::Mark& mark : unnamed.panels[0].marks) std::get<analysis::Line>(mark).endLabel.clear();
    const QImage with = renderFigure(near, theme, QSize(500, 300), 1.0),
                 without = renderFigure(unnamed, theme, QSize(500, 300), 1.0);
    int upper = 0, lower = 0, onLines = 0;
    const QRect plot = geometry.panels[0].plot.toAlignedRect();
    for (int y = 0; y < 300; ++y)
        for (int x = 0; x < 500; ++x) {
            if (with.pixelColor(x, y) == without.pixelColor(x, y)) continue;
            EXPECT_TRUE(plot.contains(x, y)) << x << ", " << y;
            (y < plot.center().y() ? upper : lower) += 1;
            onLines += without.pixelColor(x, y) == theme.ground ? 0 : 1;
        }
    EXPECT_GT(upper, 20);
    EXPECT_GT(lower, 20);
    EXPECT_EQ(onLines, 0) << "a name covers a line";
}

TEST(FigureChart, XAtIsTheInverseOfTheAxis) {
    FigureChart chart;
    chart.setFigure(std::make_shared<const Figure>(sortedSample()));
    chart.resize(430.0, 220.0);
    for (const PanelGeometry& panel : chart.drawn().geometry.panels) {
        const auto x = chart.xAt({panel.x.position(17.0), panel.plot.center().y()});
        ASSERT_TRUE(x.has_value());
        EXPECT_NEAR(*x, 17.0, 1e-9);
    }
    EXPECT_FALSE(chart.xAt({2.0, 2.0}).has_value());
}

TEST(FigureChart, PanelsShareTheirMarginsAndFillTheFigure) {
    for (const Figure& figure : samples()) {
        const FigureGeometry geometry = layoutFigure(figure, lightTheme(), QSizeF(910.0, 400.0));
        for (std::size_t i = 0; i < geometry.panels.size(); ++i) {
            const QRectF& plot = geometry.panels[i].plot;
            EXPECT_EQ(plot.left(), geometry.panels[0].plot.left()) << figure.name;
            EXPECT_EQ(plot.right(), geometry.panels[0].plot.right()) << figure.name;
            EXPECT_TRUE(QRectF(0, 0, 910, 400).contains(plot)) << figure.name;
            EXPECT_GT(plot.top(), i > 0 ? geometry.panels[i - 1].plot.bottom() : 0.0) << figure.name;
        }
    }
    // Figures with one dimension axis stand below each other: bar 26 above bar 26.
    const auto left = [](const Figure& figure) {
        return layoutFigure(figure, lightTheme(), QSizeF(910.0, 200.0)).panels[0].plot.left();
    };
    EXPECT_EQ(left(magnitudeSample()), left(contributionSample()));
}

TEST(FigureChart, NumbersOfBarsHaveRoomInsideThePlot) {
    Figure figure = magnitudeSample();
    figure.panels[0].y.from = -10.6;  // exactly the longest bars
    figure.panels[0].y.to = 9.5;
    for (double height : {150.0, 192.0, 400.0}) {
        const DrawnFigure drawn = drawnSample(figure, lightTheme(), QSizeF(910.0, height));
        const PanelGeometry& place = drawn.geometry.panels[0];
        EXPECT_GE(place.y.position(9.5 * 1.06) - place.plot.top(), 11.0) << height;
        EXPECT_GE(place.plot.bottom() - place.y.position(-10.6 * 1.06), 11.0) << height;
    }
}

TEST(FigureChart, CrowdedEndLabelsDoNotOverlap) {
    Figure figure = linesSample();
    for (analysis::Mark& mark : figure.panels[0].marks)
        if (auto* line = std::get_if<analysis::Line>(&mark)) line->points.back().second = 0.7;  // all in one place
    for (const FigureTheme& theme : {lightTheme(), printTheme()}) {
        const DrawnFigure drawn = drawnSample(figure, theme, QSizeF(490.0, 235.0));
        std::vector<double> middles;
        for (const EndLabel& label : endLabels(drawn, 0)) middles.push_back(label.middle);
        ASSERT_EQ(middles.size(), 7u);
        std::sort(middles.begin(), middles.end());
        for (std::size_t i = 1; i < middles.size(); ++i) EXPECT_GE(middles[i] - middles[i - 1], 1.2 * theme.fontSize);
        EXPECT_GT(middles.front(), 0.0);
        EXPECT_LT(middles.back(), 235.0);
    }
}

}  // namespace
}  // namespace dimscope::io
