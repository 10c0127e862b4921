// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "analysis/figure.h"

namespace dimscope::app {

/// The axis on which the dots of a table stand, as the figure has it, so that screen and paper agree.
struct DotScale {
    double from = 0.1, to = 2.0;
    std::string title = {};  ///< with markup as in figures
    analysis::TickFormat format = analysis::TickFormat::Number;
    std::vector<std::pair<std::string, double>> references = {};  ///< lines: "uniform", its error
    std::vector<std::pair<std::string, double>> names = {};       ///< over the marks of the first row
    /// 0..1 along the axis; outside for values that are off it.
    double place(double value) const;
    bool holds(double value) const { return value >= from && value <= to; }
};

/// The x axis and the vertical rules of a dot plot. A figure without marks gives the scale of nothing.
DotScale dotScale(const analysis::Figure& figure);

}  // namespace dimscope::app
