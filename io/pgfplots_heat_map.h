// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "analysis/figure.h"

namespace dimscope::io {

/// Cells of a heat map as pgfplots source; NaN is hatched.
std::string pgfplotsHeatMap(const analysis::HeatMap& map);

/// Axis options of a heat map: colours and, with a title, the colour bar.
std::string pgfplotsColourBar(const analysis::HeatMap& map);

}  // namespace dimscope::io
