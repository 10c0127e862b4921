// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QRectF>
#include <QSizeF>
#include <vector>

#include "analysis/figure.h"
#include "io/axis_map.h"
#include "io/axis_ticks.h"

namespace dimscope::io {

struct FigureTheme;

/// Where one panel lies, in logical units from the figure's upper left corner.
struct PanelGeometry {
    QRectF plot;  ///< on whole pixels; a whole number of pixels per bar where that fits
    AxisMap x, y;
    std::vector<Tick> xTicks, yTicks;
    bool xAxis = true;    ///< axis line, ticks and labels under the panel
    bool header = false;  ///< a line of its own above the plot for the names of vertical rules
};

/// Consecutive panels whose heat maps mean the same share one bar.
struct ColourBarGeometry {
    const analysis::HeatMap* map = nullptr;
    QRectF rect;
    std::vector<Tick> ticks;
};

struct FigureGeometry {
    QSizeF size;
    std::vector<PanelGeometry> panels;
    std::vector<ColourBarGeometry> colourBars;
    double yTitleMiddle = 0.0;  ///< x of the rotated titles
};

/// \p figure must outlive the result. A size that is too small gives empty plots, never negative ones.
FigureGeometry layoutFigure(const analysis::Figure& figure, const FigureTheme& theme, QSizeF size);

const analysis::HeatMap* heatMapOf(const analysis::Panel& panel);
/// Rows with names: a dot plot.
bool hasNamedRows(const analysis::Panel& panel);
bool hasArcs(const analysis::Panel& panel);

/// Lengths that layout and painting share, in multiples of the text height.
inline constexpr double kTickLength = 0.36, kTickGap = 0.45;
inline constexpr double kLeaderRoom = 1.3, kEndMarkerRoom = 1.3;  ///< before the text of an end label

}  // namespace dimscope::io
