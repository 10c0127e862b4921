// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/figures/fidelity_rows.h"

#include <algorithm>
#include <cmath>

#include "analysis/figures/figure_parts.h"

namespace dimscope::analysis {

double relMseOf(const MethodFidelity& method, bool after) {
    if (!after) return method.before.error.relMse;
    return method.after ? method.after->error.relMse : kNaN;
}

FidelityRowsPanel::FidelityRowsPanel(std::vector<std::string> titles, const std::vector<double>& values,
                                     const std::string& note)
    : titles_(std::move(titles)), range_(sensibleRange(values)) {
    panel_.x.title = "RelMSE";
    panel_.x.scale = AxisScale::Log;
    panel_.x.from = range_.from;
    panel_.x.to = range_.to;
    panel_.y.from = -0.5;
    panel_.y.to = static_cast<double>(titles_.size()) - 0.5;
    panel_.y.grid = false;
    panel_.note = note;
    for (std::size_t row = 0; row < titles_.size(); ++row) {
        panel_.y.ticks.push_back(height(row));
        panel_.y.tickLabels.push_back(titles_[row]);
    }
}

void FidelityRowsPanel::addReferences(const FidelityResult& result, bool after) {
    const auto add = [&](double at, const std::string& label) {
        if (range_.holds(at))
            panel_.marks.push_back(Rule{Rule::Direction::Vertical, at, inkOf(Role::Secondary), true, label, at < 1.0});
    };
    for (const MethodFidelity& method : result.methods) {
        if (method.method.kernel == "uniform") add(relMseOf(method, after), "uniform");
        if (method.method.kernel == "first_value") add(relMseOf(method, after), "first value");
    }
    add(1.0, "zero");
}

void FidelityRowsPanel::addPoint(std::size_t row, double value, const Ink& ink, double sizePt, const Hover& hover) {
    const double y = height(row);
    if (!std::isfinite(value) || value <= 0.0) {
        panel_.marks.push_back(Text{range_.from, y, value == 0.0 ? "exact: 0" : "undefined", Text::Anchor::Left,
                                    inkOf(Role::Secondary), false});
        return;
    }
    double x = value;
    if (!range_.holds(value)) {
        const bool above = value > range_.to;
        const double inset = std::pow(range_.to / range_.from, 0.015);
        x = above ? range_.to / inset : range_.from * inset;
        panel_.marks.push_back(Text{above ? x / (inset * inset) : x * inset * inset, y,
                                    above ? numberText(value) + " →" : "← " + numberText(value),
                                    above ? Text::Anchor::Right : Text::Anchor::Left, inkOf(Role::Secondary), false});
    }
    Points points;
    points.points.push_back({x, y, ink, sizePt, {}, hover});
    panel_.marks.push_back(std::move(points));
}

void FidelityRowsPanel::addSpan(std::size_t row, double from, double to, const Ink& ink, double widthPt) {
    if (!(from > 0.0 && to > 0.0) || !std::isfinite(from) || !std::isfinite(to)) return;
    Line span;
    span.points = {{std::clamp(from, range_.from, range_.to), height(row)},
                   {std::clamp(to, range_.from, range_.to), height(row)}};
    span.ink = ink;
    span.widthPt = widthPt;
    panel_.marks.push_back(std::move(span));
}

}  // namespace dimscope::analysis
