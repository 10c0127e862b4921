// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QFont>
#include <string_view>

#include "analysis/figure.h"

namespace dimscope::io {

/// The seven colours of categories (Okabe and Ito), black being the ink of the theme.
struct CategoryColours {
    QColor black, orange, skyBlue, green, blue, vermilion, purple;
};

/// Everything that a figure takes from its surroundings. Lengths are in logical units: pixels at scale 1 on the
/// screen, points in print.
struct FigureTheme {
    QColor ground, text, secondary, grid, axis, fieldLine, accent, band, missing;
    QColor bulkQuery, bulkKey, outlierQuery, outlierKey, outlierText, partner;
    CategoryColours category;
    int fontSize = 11;
    double lineWidth = 1.0;          ///< axes, ticks, grid, rules, whiskers
    double unitsPerPoint = 4.0 / 3;  ///< of the sizes that marks give in points
    double pixelGrid = 1.0;          ///< edges are moved to multiples of this; 0: not at all (vector files)

    /// A length in the height of the text: layouts scale with it.
    double em(double factor) const { return factor * fontSize; }
    double snapped(double position) const;
};

FigureTheme lightTheme();
FigureTheme darkTheme();
/// White ground, text 8 pt, lines 0.75 pt; one unit is one point.
FigureTheme printTheme();

/// How a kernel looks everywhere: its colour and a second cue.
struct KernelStyle {
    QColor colour;
    analysis::MarkerShape shape = analysis::MarkerShape::Disc;
    bool filled = true;
    bool reference = false;  ///< a grey dashed line without marker: uniform, zero, first_value
};
KernelStyle kernelStyle(std::string_view kernel, const FigureTheme& theme);

QColor inkColour(const analysis::Ink& ink, const FigureTheme& theme);
/// The same for text: never a colour that is too light to be read.
QColor textColour(const analysis::Ink& ink, const FigureTheme& theme);
QFont figureFont(const FigureTheme& theme, bool bold = false, bool italic = false);

}  // namespace dimscope::io
