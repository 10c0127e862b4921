// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "analysis/figure.h"
#include "io/axis_map.h"
#include "io/pgfplots_style.h"

namespace dimscope::io {

/// Axes of one panel: data to millimetres from its lower left corner.
struct PgfplotsPanel {
    AxisMap x, y;
};

/// pgfplots source of the marks of a panel, to stand inside its axis environment. Values beyond an axis are drawn at
/// its border, as on the screen.
std::string pgfplotsMarks(const analysis::Panel& panel, const PgfplotsPanel& place, PgfplotsColours& colours);

}  // namespace dimscope::io
