// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/figure.h"

class QPainter;

namespace dimscope::io {

struct FigureTheme;
struct PanelGeometry;

/// The matrix as an image as fine as the device; hatching shows where values are missing.
void paintHeatMap(QPainter& painter, const analysis::HeatMap& map, const PanelGeometry& panel,
                  const FigureTheme& theme);

}  // namespace dimscope::io
