// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/figure.h"

class QColor;
class QPainter;
class QPointF;

namespace dimscope::io {

struct DrawnFigure;
struct FigureTheme;

/// Below the lines: bands, brushed columns, heat maps, grid, bars.
void paintMarksBelow(QPainter& painter, const DrawnFigure& drawn);
/// Above the lines: rules, markers, points, arcs; texts are painted by the labels.
void paintMarksAbove(QPainter& painter, const DrawnFigure& drawn);

/// One marker; open ones are filled with the ground, so that a line does not show through.
void paintMarker(QPainter& painter, QPointF centre, double radius, analysis::MarkerShape shape, bool filled,
                 const QColor& colour, const FigureTheme& theme);

}  // namespace dimscope::io
