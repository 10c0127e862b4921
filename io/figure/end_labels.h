// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointF>
#include <cstddef>
#include <vector>

class QPainter;

namespace dimscope::io {

struct DrawnFigure;

/// Where the name of a line stands: beside the plot, joined by a thin leader to the line's last point.
struct EndLabel {
    std::size_t mark = 0;  ///< index in the panel's marks
    QPointF lineEnd;
    double middle = 0.0;  ///< y of the text
};
std::vector<EndLabel> endLabels(const DrawnFigure& drawn, std::size_t panel);

void paintEndLabels(QPainter& painter, const DrawnFigure& drawn, std::size_t panel);

}  // namespace dimscope::io
