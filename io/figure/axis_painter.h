// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointF>

class QColor;
class QPainter;

namespace dimscope::io {

struct DrawnFigure;
struct FigureTheme;

void paintGrid(QPainter& painter, const DrawnFigure& drawn);
/// Axis lines, ticks, their labels, titles, and colour bars.
void paintAxes(QPainter& painter, const DrawnFigure& drawn);

/// A horizontal or vertical line of the theme's width whose upper left edge lies on the pixel grid.
void paintStraightLine(QPainter& painter, QPointF from, QPointF to, const QColor& colour, const FigureTheme& theme,
                       bool dashed = false);

}  // namespace dimscope::io
