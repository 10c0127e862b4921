// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/report/dot_scale.h"

#include <cmath>

namespace dimscope::app {

double DotScale::place(double value) const { return std::log(value / from) / std::log(to / from); }

DotScale dotScale(const analysis::Figure& figure) {
    DotScale scale;
    if (figure.panels.empty() || !(figure.panels.front().x.from > 0.0)) return scale;
    const analysis::Axis& axis = figure.panels.front().x;
    scale.from = axis.from;
    scale.to = axis.to;
    scale.title = axis.title;
    scale.format = axis.format;
    for (const analysis::Mark& mark : figure.panels.front().marks)
        if (const auto* rule = std::get_if<analysis::Rule>(&mark)) scale.references.emplace_back(rule->label, rule->at);
    return scale;
}

}  // namespace dimscope::app
