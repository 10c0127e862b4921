// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/figure/mark_geometry.h"

#include <algorithm>
#include <cmath>

#include "io/figure/figure_layout.h"
#include "io/figure/figure_theme.h"

namespace dimscope::io {
namespace {

using analysis::Bars;
using analysis::MarkerShape;

// What a person reads as the value on an axis that has no place for it: the nearest border.
double positionOf(const AxisMap& map, double value) { return map.position(map.clamped(value)); }

}  // namespace

QRectF barRect(const Bars& bars, const Bars::Bar& bar, const PanelGeometry& panel, const FigureTheme& theme) {
    if (!panel.x.holds(bar.x) || std::isnan(bar.top) || std::isnan(bar.base)) return {};
    const double centre = panel.x.position(bar.x);
    const double unit = panel.x.log ? panel.plot.width() / std::max<double>(static_cast<double>(bars.bars.size()), 1.0)
                                    : std::abs(panel.x.position(panel.x.from + 1.0) - panel.x.start);
    const double width = std::max(theme.snapped(bars.width * unit), theme.pixelGrid);
    const double left = theme.snapped(centre - width / 2);
    const double a = theme.snapped(positionOf(panel.y, bar.base)), b = theme.snapped(positionOf(panel.y, bar.top));
    return {left, std::min(a, b), width, std::abs(a - b)};
}

QRectF whiskerRect(const QRectF& bar, const Bars::Bar& source, const PanelGeometry& panel, const FigureTheme& theme) {
    if (!source.whiskerFrom || !source.whiskerTo) return {};
    if (!std::isfinite(*source.whiskerFrom) || !std::isfinite(*source.whiskerTo)) return {};
    const double a = positionOf(panel.y, *source.whiskerFrom), b = positionOf(panel.y, *source.whiskerTo);
    const double left = theme.snapped(bar.center().x() - theme.lineWidth / 2);
    const double top = theme.snapped(std::min(a, b));
    return {left, top, theme.lineWidth, std::max(theme.snapped(std::max(a, b)) - top, theme.lineWidth)};
}

bool pointsDown(const Bars::Bar& bar) { return bar.top < bar.base; }

double columnHalfWidth(const Bars& bars, const PanelGeometry& panel) {
    std::vector<double> places;
    for (const Bars::Bar& bar : bars.bars)
        if (panel.x.holds(bar.x)) places.push_back(panel.x.position(bar.x));
    std::sort(places.begin(), places.end());
    double least = panel.plot.width();
    for (std::size_t i = 1; i < places.size(); ++i)
        if (const double apart = places[i] - places[i - 1]; apart > 1e-6) least = std::min(least, apart);
    return least / 2;
}

std::optional<PlacedPoint> placedPoint(double x, double y, const PanelGeometry& panel) {
    if (std::isnan(x) || std::isnan(y)) return std::nullopt;
    PlacedPoint placed{{positionOf(panel.x, x), positionOf(panel.y, y)}, Beyond::No};
    const bool upwards = panel.y.from < panel.y.to;
    if (!panel.x.holds(x))
        placed.beyond = (x > panel.x.to) == (panel.x.from < panel.x.to) ? Beyond::Right : Beyond::Left;
    else if (!panel.y.holds(y))
        placed.beyond = (y > std::max(panel.y.from, panel.y.to)) == upwards ? Beyond::Above : Beyond::Below;
    return placed;
}

QPainterPath markerPath(MarkerShape shape, QPointF centre, double radius) {
    QPainterPath path;
    switch (shape) {
        case MarkerShape::Disc: path.addEllipse(centre, radius, radius); break;
        case MarkerShape::Square: {
            const double half = 0.9 * radius;
            path.addRect(QRectF(centre - QPointF(half, half), QSizeF(2 * half, 2 * half)));
            break;
        }
        case MarkerShape::Diamond: {
            const double reach = 1.3 * radius;
            path.addPolygon(QPolygonF({centre + QPointF(0, -reach), centre + QPointF(reach, 0),
                                       centre + QPointF(0, reach), centre + QPointF(-reach, 0)}));
            path.closeSubpath();
            break;
        }
        case MarkerShape::TriangleUp:
        case MarkerShape::TriangleDown: {
            const double up = shape == MarkerShape::TriangleUp ? 1.0 : -1.0;
            const double half = 1.2 * radius, tip = 1.25 * radius, foot = 0.9 * radius;
            path.addPolygon(QPolygonF({centre + QPointF(0, -up * tip), centre + QPointF(half, up * foot),
                                       centre + QPointF(-half, up * foot)}));
            path.closeSubpath();
            break;
        }
    }
    return path;
}

QPainterPath arrowPath(const PlacedPoint& point, double radius) {
    QPointF along;
    switch (point.beyond) {
        case Beyond::Left: along = {-1, 0}; break;
        case Beyond::Right: along = {1, 0}; break;
        case Beyond::Above: along = {0, -1}; break;
        case Beyond::Below: along = {0, 1}; break;
        case Beyond::No: return {};
    }
    const QPointF across(along.y(), along.x()), foot = point.centre - 1.7 * radius * along;
    QPainterPath path;
    path.addPolygon(QPolygonF({point.centre, foot + radius * across, foot - radius * across}));
    path.closeSubpath();
    return path;
}

QRectF columnRect(double x, double halfWidth, const PanelGeometry& panel, const FigureTheme& theme) {
    const double left = theme.snapped(std::max(x - halfWidth, panel.plot.left()));
    const double right = theme.snapped(std::min(x + halfWidth, panel.plot.right()));
    return {left, panel.plot.top(), right - left, panel.plot.height()};
}

}  // namespace dimscope::io
