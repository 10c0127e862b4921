// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointF>
#include <optional>

#include "analysis/figure.h"

namespace dimscope::io {

struct DrawnFigure;

/// What stands under \p position: the nearest point or line within a few pixels, the row of a dot plot, the cell of a
/// heat map, or the bar whose column it is.
std::optional<analysis::Hover> hoverAt(const DrawnFigure& drawn, QPointF position);

/// The panel whose plot contains \p position (its column reaches down to the axis); nothing outside.
std::optional<std::size_t> panelAt(const DrawnFigure& drawn, QPointF position);

}  // namespace dimscope::io
