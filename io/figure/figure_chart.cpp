// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/figure/figure_chart.h"

#include <QChart>
#include <QGraphicsLayout>
#include <QLegend>
#include <QLineSeries>
#include <QLogValueAxis>
#include <QPainter>
#include <QValueAxis>
#include <algorithm>

#include "io/figure/figure_hover.h"
#include "io/figure/figure_overlay.h"
#include "io/figure/line_pieces.h"

namespace dimscope::io {
namespace {

constexpr double kHoveredLineFactor = 1.7;

// Maps exactly as AxisMap does; everything visible of an axis is painted by the overlay.
QAbstractAxis* hiddenAxis(const AxisMap& map, QChart& chart) {
    const double low = std::min(map.from, map.to), high = std::max(map.from, map.to);
    QAbstractAxis* axis = nullptr;
    if (map.log)
        axis = new QLogValueAxis(&chart);
    else
        axis = new QValueAxis(&chart);
    axis->setRange(low, high);
    axis->setReverse(map.from > map.to);
    axis->setVisible(false);
    return axis;
}

// Margins, background, frame and animation have to be switched off one by one.
std::unique_ptr<QChart> bareChart(QGraphicsItem* parent) {
    auto chart = std::make_unique<QChart>(parent);
    chart->setZValue(1.0);
    chart->setMargins(QMargins());
    chart->layout()->setContentsMargins(0, 0, 0, 0);
    chart->setBackgroundVisible(false);
    chart->setPlotAreaBackgroundVisible(false);
    chart->setBackgroundRoundness(0.0);
    chart->setAnimationOptions(QChart::NoAnimation);
    chart->legend()->hide();
    chart->setAcceptedMouseButtons(Qt::NoButton);
    chart->setAcceptHoverEvents(false);
    return chart;
}

}  // namespace

FigureChart::FigureChart(QGraphicsItem* parent)
    : QGraphicsWidget(parent),
      drawn_{nullptr, lightTheme(), {}, {}},
      below_(new FigureOverlay(FigureOverlay::Layer::Below, drawn_, this)),
      above_(new FigureOverlay(FigureOverlay::Layer::Above, drawn_, this)) {}

FigureChart::~FigureChart() = default;

void FigureChart::setFigure(std::shared_ptr<const analysis::Figure> figure) {
    drawn_.figure = std::move(figure);
    layOut();
}

void FigureChart::setTheme(const FigureTheme& theme) {
    drawn_.theme = theme;
    layOut();
}

void FigureChart::setHighlight(const std::vector<int>& brushed, int hovered, int partner) {
    Highlight highlight{brushed, hovered, partner};
    if (highlight == drawn_.highlight) return;
    const bool lines = highlight.hovered != drawn_.highlight.hovered && !charts_.empty();
    drawn_.highlight = std::move(highlight);
    if (lines) rebuildCharts();
    below_->update();
    above_->update();
}

std::optional<analysis::Hover> FigureChart::hoverAt(QPointF position) const {
    return drawn_.figure ? io::hoverAt(drawn_, position) : std::nullopt;
}

std::optional<double> FigureChart::xAt(QPointF position) const {
    const auto panel = drawn_.figure ? panelAt(drawn_, position) : std::nullopt;
    if (!panel) return std::nullopt;
    const AxisMap& map = drawn_.geometry.panels[*panel].x;
    return map.clamped(map.value(position.x()));
}

std::vector<QRectF> FigureChart::panelRects() const {
    std::vector<QRectF> rects;
    for (const PanelGeometry& panel : drawn_.geometry.panels) rects.push_back(panel.plot);
    return rects;
}

void FigureChart::paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*) {
    painter->fillRect(rect(), drawn_.theme.ground);
}

void FigureChart::resizeEvent(QGraphicsSceneResizeEvent*) { layOut(); }

void FigureChart::layOut() {
    below_->aboutToResize();
    above_->aboutToResize();
    drawn_.geometry =
        drawn_.figure ? layoutFigure(*drawn_.figure, drawn_.theme, size()) : FigureGeometry{size(), {}, {}, 0.0};
    rebuildCharts();
    update();
}

void FigureChart::rebuildCharts() {
    charts_.clear();
    for (std::size_t i = 0; i < drawn_.geometry.panels.size(); ++i) addChart(i);
}

void FigureChart::addChart(std::size_t panel) {
    const PanelGeometry& place = drawn_.geometry.panels[panel];
    const std::vector<analysis::Mark>& marks = drawn_.figure->panels[panel].marks;
    const bool lines = std::any_of(marks.begin(), marks.end(), [](const analysis::Mark& mark) {
        return std::holds_alternative<analysis::Line>(mark);
    });
    if (!lines || place.plot.isEmpty()) return;
    QChart* chart = charts_.emplace_back(bareChart(this)).get();
    chart->addAxis(hiddenAxis(place.x, *chart), Qt::AlignBottom);
    chart->addAxis(hiddenAxis(place.y, *chart), Qt::AlignLeft);
    for (const analysis::Mark& mark : marks)
        if (const auto* line = std::get_if<analysis::Line>(&mark)) addLine(*chart, *line, place);
    chart->setGeometry(rect());
    chart->setPlotArea(place.plot);  // fixed from here on, also through later layouts
}

void FigureChart::addLine(QChart& chart, const analysis::Line& line, const PanelGeometry& place) {
    const bool hovered = drawn_.highlight.isHovered(line.hover.key);
    const double width = line.widthPt * drawn_.theme.unitsPerPoint * (hovered ? kHoveredLineFactor : 1.0);
    // Qt Charts strokes segment by segment: round caps close the corners.
    QPen pen(inkColour(line.ink, drawn_.theme), width, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin);
    if (line.dashed) {
        pen.setCapStyle(Qt::FlatCap);
        pen.setDashPattern({4.0, 2.5});
    }
    for (const auto& piece : linePieces(line, place)) {
        auto* series = new QLineSeries(&chart);
        QList<QPointF> points;
        for (const QPointF& position : piece) {
            const QPointF value(place.x.clamped(place.x.value(position.x())),
                                place.y.clamped(place.y.value(position.y())));
            points.append(value);
        }
        series->append(points);
        series->setPen(pen);
        chart.addSeries(series);
        for (QAbstractAxis* axis : chart.axes()) series->attachAxis(axis);
    }
}

}  // namespace dimscope::io
