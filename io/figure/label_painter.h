// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QPainter;

namespace dimscope::io {

struct DrawnFigure;

/// All texts inside the panels and beside their lines, placed so that none covers another.
void paintLabels(QPainter& painter, const DrawnFigure& drawn);

}  // namespace dimscope::io
