// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QRectF>
#include <vector>

class QPainter;

namespace dimscope::io {

struct DrawnFigure;

/// Names of lines that end in one point: each beside its own line, where it touches nothing and the other lines are
/// far. A name without such a place is left out; the pointer still finds it. `taken`: texts and marks of the panel.
void paintNearLabels(QPainter& painter, const DrawnFigure& drawn, std::size_t panel, std::vector<QRectF> taken);

}  // namespace dimscope::io
