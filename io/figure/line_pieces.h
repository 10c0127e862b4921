// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointF>
#include <vector>

#include "analysis/figure.h"

namespace dimscope::io {

struct PanelGeometry;

/// The parts of a line inside the plot, as positions. NaN breaks it, and so does a value without a place on a log axis.
std::vector<std::vector<QPointF>> linePieces(const analysis::Line& line, const PanelGeometry& panel);

}  // namespace dimscope::io
