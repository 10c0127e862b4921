// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/figure/mark_painter.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "io/figure/axis_painter.h"
#include "io/figure/drawn_figure.h"
#include "io/figure/heat_map_painter.h"
#include "io/figure/line_pieces.h"
#include "io/figure/mark_geometry.h"

namespace dimscope::io {
namespace {

using namespace analysis;

constexpr double kLineMarkerPoints = 5.0;  // diameter of the markers on lines
constexpr float kRibbonOpacity = 0.6F;

// Both halves of the painting share the panel at hand.
class MarkPainter {
public:
    MarkPainter(QPainter& painter, const DrawnFigure& drawn, std::size_t index)
        : painter_(painter),
          panel_(drawn.figure->panels[index]),
          place_(drawn.geometry.panels[index]),
          theme_(drawn.theme),
          highlight_(drawn.highlight) {}

    void bands() {
        for (const Mark& mark : panel_.marks) {
            if (const auto* band = std::get_if<Band>(&mark)) paintBand(*band);
            if (const auto* bars = std::get_if<Bars>(&mark)) brushedColumns(*bars);
            if (const auto* points = std::get_if<Points>(&mark); points && hasNamedRows(panel_)) brushedRows(*points);
        }
    }

    void heatMapsAndBars() {
        for (const Mark& mark : panel_.marks) {
            if (const auto* map = std::get_if<HeatMap>(&mark)) paintHeatMap(painter_, *map, place_, theme_);
            if (const auto* bars = std::get_if<Bars>(&mark)) paintBars(*bars);
        }
    }

    void ribbons() {
        for (const Mark& mark : panel_.marks)
            if (const auto* ribbon = std::get_if<Ribbon>(&mark)) paintRibbon(*ribbon);
    }

    void above() {
        for (const Mark& mark : panel_.marks)
            if (const auto* rule = std::get_if<Rule>(&mark)) paintRule(*rule);
        for (const Mark& mark : panel_.marks) {
            if (const auto* line = std::get_if<Line>(&mark)) paintLineMarkers(*line);
            if (const auto* points = std::get_if<Points>(&mark)) paintPoints(*points);
            if (const auto* arc = std::get_if<Arc>(&mark)) paintArc(*arc);
            if (const auto* span = std::get_if<Span>(&mark)) paintSpan(*span);
        }
    }

private:
    QColor ink(const Ink& ink, int key) const {
        if (highlight_.isHovered(key)) return theme_.text;
        if (highlight_.isPartner(key)) return theme_.partner;
        return inkColour(ink, theme_);
    }

    void paintBand(const Band& band) {
        const bool vertical = band.direction == Rule::Direction::Vertical;
        const AxisMap& map = vertical ? place_.x : place_.y;
        const double a = theme_.snapped(map.position(map.clamped(band.from)));
        const double b = theme_.snapped(map.position(map.clamped(band.to)));
        QRectF rect = place_.plot;
        if (vertical) {
            rect.setLeft(std::min(a, b));
            rect.setRight(std::max(a, b));
        } else {
            rect.setTop(std::min(a, b));
            rect.setBottom(std::max(a, b));
        }
        painter_.fillRect(rect, inkColour(band.ink, theme_));
    }

    void paintRibbon(const Ribbon& ribbon) {
        QPolygonF upper, lower;
        for (const Ribbon::Part& part : ribbon.parts) {
            if (!std::isfinite(part.x) || !std::isfinite(part.from) || !std::isfinite(part.to)) continue;
            const double x = place_.x.position(place_.x.clamped(part.x));
            upper.append({x, place_.y.position(place_.y.clamped(part.to))});
            lower.prepend({x, place_.y.position(place_.y.clamped(part.from))});
        }
        QPainterPath path;
        path.addPolygon(upper + lower);
        QColor colour = inkColour(ribbon.ink, theme_);
        colour.setAlphaF(kRibbonOpacity);  // lines and grid stay in sight
        painter_.fillPath(path, colour);
    }

    void brushedColumns(const Bars& bars) {
        const double half = columnHalfWidth(bars, place_);
        for (const Bars::Bar& bar : bars.bars)
            if (highlight_.isBrushed(bar.hover.key) && place_.x.holds(bar.x))
                painter_.fillRect(columnRect(place_.x.position(bar.x), half, place_, theme_), theme_.band);
    }

    void brushedRows(const Points& points) {
        const double half = std::abs(place_.y.position(1.0) - place_.y.position(0.0)) / 2;
        for (const Points::Point& point : points.points)
            if (highlight_.isBrushed(point.hover.key) && place_.y.holds(point.y)) {
                const double top = theme_.snapped(place_.y.position(point.y) - half);
                painter_.fillRect(QRectF(place_.plot.left(), top, place_.plot.width(), theme_.snapped(2 * half)),
                                  theme_.band);
            }
    }

    void paintBars(const Bars& bars) {
        painter_.setRenderHint(QPainter::Antialiasing, theme_.pixelGrid <= 0.0);
        for (const Bars::Bar& bar : bars.bars) {
            const QRectF rect = barRect(bars, bar, place_, theme_);
            if (rect.isNull()) continue;
            painter_.fillRect(rect, ink(bar.ink, bar.hover.key));
            if (const QRectF whisker = whiskerRect(rect, bar, place_, theme_); !whisker.isNull())
                painter_.fillRect(whisker, highlight_.isHovered(bar.hover.key) ? theme_.secondary : theme_.text);
        }
        painter_.setRenderHint(QPainter::Antialiasing, true);
    }

    // Solid grey rules divide the field and stay light; dashed ones and those in ink are read.
    void paintRule(const Rule& rule) {
        const bool vertical = rule.direction == Rule::Direction::Vertical;
        const AxisMap& map = vertical ? place_.x : place_.y;
        if (!map.holds(rule.at)) return;
        const bool divider = rule.ink.role == Role::Secondary && !rule.dashed;
        const QColor colour = divider ? theme_.fieldLine : inkColour(rule.ink, theme_);
        // A line that ends bars lies on their foot, any other is centred on its value.
        const double shift = rule.at == 0.0 ? 0.0 : theme_.lineWidth / 2;
        const double at = theme_.snapped(map.position(rule.at) - shift);
        if (vertical)
            paintStraightLine(painter_, {at, place_.plot.top()}, {at, place_.plot.bottom()}, colour, theme_,
                              rule.dashed);
        else
            paintStraightLine(painter_, {place_.plot.left(), at}, {place_.plot.right(), at}, colour, theme_,
                              rule.dashed);
    }

    void paintLineMarkers(const Line& line) {
        const KernelStyle style = line.ink.role == Role::Kernel
                                      ? kernelStyle(line.ink.kernel, theme_)
                                      : KernelStyle{inkColour(line.ink, theme_), MarkerShape::Disc, true, false};
        const QColor colour = ink(line.ink, line.hover.key);
        const double radius = kLineMarkerPoints * theme_.unitsPerPoint / 2;
        for (const auto& [x, y] : line.points) {
            const auto placed = placedPoint(x, y, place_);
            if (!placed) continue;
            if (placed->beyond != Beyond::No)
                painter_.fillPath(arrowPath(*placed, theme_.em(0.27)), colour);
            else if (line.markers && !style.reference)
                paintMarker(painter_, placed->centre, radius, style.shape, style.filled, colour, theme_);
        }
    }

    void paintPoints(const Points& points) {
        for (const Points::Point& point : points.points) {
            const auto placed = placedPoint(point.x, point.y, place_);
            if (!placed) continue;
            const QColor colour = ink(point.ink, point.hover.key);
            if (placed->beyond != Beyond::No) {
                painter_.fillPath(arrowPath(*placed, theme_.em(0.3)), colour);
                continue;
            }
            MarkerShape shape = points.shape;
            bool filled = points.filled;
            if (point.ink.role == Role::Kernel) {
                const KernelStyle style = kernelStyle(point.ink.kernel, theme_);
                shape = style.shape;
                if (!points.ownFilling) filled = style.filled;
            }
            const double radius = point.sizePt * theme_.unitsPerPoint / 2;
            if (highlight_.isBrushed(point.hover.key) && !hasNamedRows(panel_)) paintRing(placed->centre, radius);
            paintMarker(painter_, placed->centre, radius, shape, filled, colour, theme_);
        }
    }

    void paintRing(QPointF centre, double radius) {
        painter_.setPen(QPen(theme_.text, theme_.lineWidth));
        painter_.setBrush(theme_.ground);
        const double ring = radius + theme_.em(0.2);
        painter_.drawEllipse(centre, ring, ring);
    }

    // From a dot under the zero line down to its depth and up to the other dot; flat where the text will stand.
    void paintArc(const Arc& arc) {
        if (!place_.x.holds(arc.from) || !place_.x.holds(arc.to)) return;
        const double a = place_.x.position(std::min(arc.from, arc.to)),
                     b = place_.x.position(std::max(arc.from, arc.to));
        const double zero = place_.y.position(place_.y.clamped(0.0)) + theme_.em(0.45);
        const double foot = zero + std::clamp(arc.depth, 0.0, 1.0) * (place_.plot.bottom() - zero);
        const QPointF from(a, zero), to(b, zero), middle((a + b) / 2, foot);
        const double w = b - a;
        QPainterPath path(from);
        path.cubicTo(QPointF(a + 0.08 * w, foot - 0.25 * (foot - zero)), QPointF(a + 0.25 * w, foot), middle);
        path.cubicTo(QPointF(b - 0.25 * w, foot), QPointF(b - 0.08 * w, foot - 0.25 * (foot - zero)), to);
        const QColor colour = inkColour(arc.ink, theme_);
        painter_.setPen(QPen(colour, 1.4 * theme_.lineWidth));
        painter_.setBrush(Qt::NoBrush);
        painter_.drawPath(path);
        painter_.setPen(Qt::NoPen);
        painter_.setBrush(colour);
        for (const QPointF& end : {from, to}) painter_.drawEllipse(end, theme_.em(0.23), theme_.em(0.23));
    }

    // Between the heads of two arrows; the text stands on the ground in the middle and is painted by the labels.
    void paintSpan(const Span& span) {
        if (!place_.x.holds(span.from) || !place_.x.holds(span.to) || !place_.y.holds(span.y)) return;
        const double a = place_.x.position(std::min(span.from, span.to)),
                     b = place_.x.position(std::max(span.from, span.to));
        const double y = theme_.snapped(place_.y.position(span.y)), head = theme_.em(0.36);
        const QColor colour = inkColour(span.ink, theme_);
        paintStraightLine(painter_, {a, y}, {b, y}, colour, theme_);
        for (const auto& [tip, back] : {std::pair(a, head), std::pair(b, -head)}) {
            const QPointF end(tip, y + theme_.lineWidth / 2);
            painter_.setPen(Qt::NoPen);
            painter_.setBrush(colour);
            painter_.drawPolygon(QPolygonF({end, end + QPointF(back, -0.6 * head), end + QPointF(back, 0.6 * head)}));
        }
    }

    QPainter& painter_;
    const Panel& panel_;
    const PanelGeometry& place_;
    const FigureTheme& theme_;
    const Highlight& highlight_;
};

}  // namespace

void paintMarksBelow(QPainter& painter, const DrawnFigure& drawn) {
    const std::size_t count = drawn.figure->panels.size();
    for (std::size_t i = 0; i < count; ++i) MarkPainter(painter, drawn, i).bands();
    paintGrid(painter, drawn);
    for (std::size_t i = 0; i < count; ++i) {
        MarkPainter marks(painter, drawn, i);
        marks.ribbons();
        marks.heatMapsAndBars();
    }
}

void paintMarksAbove(QPainter& painter, const DrawnFigure& drawn) {
    for (std::size_t i = 0; i < drawn.figure->panels.size(); ++i) MarkPainter(painter, drawn, i).above();
}

void paintMarker(QPainter& painter, QPointF centre, double radius, MarkerShape shape, bool filled, const QColor& colour,
                 const FigureTheme& theme) {
    if (filled) {
        painter.fillPath(markerPath(shape, centre, radius), colour);
        return;
    }
    painter.setPen(QPen(colour, 1.4 * theme.lineWidth, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
    painter.setBrush(theme.ground);
    painter.drawPath(markerPath(shape, centre, radius - 0.5 * theme.lineWidth));
}

}  // namespace dimscope::io
