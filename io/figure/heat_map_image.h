// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <vector>

#include "analysis/figure.h"
#include "io/axis_ticks.h"

namespace dimscope::io {

/// Place of a value on the colour bar: 0 at map.from, 1 at map.to, clamped; NaN stays NaN.
double colourPosition(const analysis::HeatMap& map, double value);
QRgb mapColour(analysis::ColourMap map, double position);

/// Ticks of the colour bar; the border ones say "≥" and "≤" where the matrix has values beyond them.
std::vector<Tick> colourTicks(const analysis::HeatMap& map);

/// The columns [first, last) as an image of \p size pixels; missing values are transparent. Where several values share
/// a pixel the one with the largest magnitude is shown.
QImage heatMapImage(const analysis::HeatMap& map, kernels::Index first, kernels::Index last, QSize size);

}  // namespace dimscope::io
