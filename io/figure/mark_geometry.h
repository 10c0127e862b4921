// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPainterPath>
#include <QRectF>
#include <optional>

#include "analysis/figure.h"

namespace dimscope::io {

struct FigureTheme;
struct PanelGeometry;

/// Where a bar stands; its edges lie on the theme's pixel grid. Null where the bar has no place on the axes.
QRectF barRect(const analysis::Bars& bars, const analysis::Bars::Bar& bar, const PanelGeometry& panel,
               const FigureTheme& theme);
/// A thin line through the bar's middle; null without a whisker.
QRectF whiskerRect(const QRectF& bar, const analysis::Bars::Bar& source, const PanelGeometry& panel,
                   const FigureTheme& theme);
bool pointsDown(const analysis::Bars::Bar& bar);
/// Half the distance between neighbouring bars: the column in which the pointer finds a bar.
double columnHalfWidth(const analysis::Bars& bars, const PanelGeometry& panel);

enum class Beyond { No, Left, Right, Above, Below };
/// A point's place. One that lies beyond an axis, or has no place on a log axis, stands at the border and says where
/// it would be; nothing for NaN.
struct PlacedPoint {
    QPointF centre;
    Beyond beyond = Beyond::No;
};
std::optional<PlacedPoint> placedPoint(double x, double y, const PanelGeometry& panel);

/// A marker of about the same ink whatever its shape.
QPainterPath markerPath(analysis::MarkerShape shape, QPointF centre, double radius);
/// A small triangle whose tip touches the border.
QPainterPath arrowPath(const PlacedPoint& point, double radius);

/// The room of a brushed key around \p x: one unit wide.
QRectF columnRect(double x, double halfWidth, const PanelGeometry& panel, const FigureTheme& theme);

}  // namespace dimscope::io
