// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/figure/line_pieces.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "io/figure/figure_layout.h"

namespace dimscope::io {
namespace {

std::optional<QPointF> placeOf(const std::pair<double, double>& point, const PanelGeometry& panel) {
    const auto [x, y] = point;
    if (!std::isfinite(x) || !std::isfinite(y)) return std::nullopt;
    if ((panel.x.log && x <= 0.0) || (panel.y.log && y <= 0.0)) return std::nullopt;
    return QPointF(panel.x.position(x), panel.y.position(y));
}

// Liang and Barsky: the part of a segment inside a rectangle.
std::optional<std::pair<QPointF, QPointF>> clipped(const QPointF& a, const QPointF& b, const QRectF& rect) {
    const double dx = b.x() - a.x(), dy = b.y() - a.y();
    double from = 0.0, to = 1.0;
    const auto cut = [&](double direction, double distance) {
        if (direction == 0.0) return distance >= 0.0;
        const double at = distance / direction;
        if (direction < 0.0)
            from = std::max(from, at);
        else
            to = std::min(to, at);
        return from <= to;
    };
    if (!cut(-dx, a.x() - rect.left()) || !cut(dx, rect.right() - a.x()) || !cut(-dy, a.y() - rect.top()) ||
        !cut(dy, rect.bottom() - a.y()))
        return std::nullopt;
    return std::pair{from > 0.0 ? a + from * (b - a) : a, to < 1.0 ? a + to * (b - a) : b};
}

}  // namespace

std::vector<std::vector<QPointF>> linePieces(const analysis::Line& line, const PanelGeometry& panel) {
    std::vector<std::vector<QPointF>> pieces;
    bool open = false;
    std::optional<QPointF> previous;
    for (const auto& point : line.points) {
        const std::optional<QPointF> place = placeOf(point, panel);
        const auto part = previous && place ? clipped(*previous, *place, panel.plot) : std::nullopt;
        if (part) {
            if (!open || pieces.back().back() != part->first) pieces.push_back({part->first});
            pieces.back().push_back(part->second);
        }
        open = part && part->second == *place;
        previous = place;
    }
    return pieces;
}

}  // namespace dimscope::io
