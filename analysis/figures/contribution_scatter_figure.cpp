// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/figures/contribution_figures.h"
#include "analysis/figures/contribution_parts.h"
#include "analysis/figures/figure_parts.h"

namespace dimscope::analysis {
namespace {

constexpr double kLeastShownPart = 1e-6;  // of the largest contribution; smaller ones are left off and counted

/// The same range on both axes.
struct ScatterRange {
    double from = 0.0, to = 0.0;
    bool holds(double x, double y) const { return x >= from && y >= from && x <= to && y <= to; }
};

ScatterRange rangeOf(const HeadStability& head) {
    double most = 0.0;
    for (const auto* chi : {&head.chiFirst, &head.chiSecond})
        most = std::max(most, *std::max_element(chi->begin(), chi->end()));
    double least = most;
    for (const auto* chi : {&head.chiFirst, &head.chiSecond})
        for (const double value : *chi)
            if (value >= most * kLeastShownPart) least = std::min(least, value);
    return {least / 1.4, most * 1.8};  // room for the numbers beside the largest
}

std::string agreementNote(const StabilityResult& result, const HeadStability& head) {
    const auto common = static_cast<int>(std::lround(head.topOverlap * static_cast<double>(head.top.size())));
    return fmt::format("ρ {}: {} · {} of the top {} in common", numberText(head.rho), rankAgreementText(head.rho),
                       common, std::min(result.top, static_cast<int>(head.top.size())));
}

Axis chiAxis(const std::string& prompts, const ScatterRange& range) {
    Axis axis;
    axis.title = "<i>χ</i>, " + prompts;
    axis.scale = AxisScale::Log;
    axis.from = range.from;
    axis.to = range.to;
    return axis;
}

Panel scatterPanel(const StabilityResult& result, const HeadStability& head) {
    const ScatterRange range = rangeOf(head);
    const auto [first, second] = partNames(result);
    Panel panel;
    panel.x = chiAxis(first, range);
    panel.y = chiAxis(second, range);
    Line equal;
    equal.points = {{range.from, range.from}, {range.to, range.to}};
    equal.ink = inkOf(Role::Secondary);
    equal.widthPt = 0.75;
    equal.dashed = true;
    equal.hover.text = "equal contributions";
    panel.marks.push_back(equal);
    Points bulk, strongest;
    int absent = 0;
    for (std::size_t r = 0; r < head.chi.size(); ++r) {
        const double x = head.chiFirst[r], y = head.chiSecond[r];
        if (!range.holds(x, y)) {
            ++absent;
            continue;
        }
        const auto dimension = static_cast<int>(r);
        const bool top = contains(head.top, dimension);
        (top ? strongest : bulk)
            .points.push_back({x,
                               y,
                               inkOf(top ? Role::OutlierQuery : Role::BulkQuery),
                               top ? 4.5 : 3.5,
                               top ? std::to_string(r) : std::string(),
                               {dimension, fmt::format("dim {}: {} and {}", r, numberText(x), numberText(y))}});
    }
    panel.marks.push_back(bulk);
    panel.marks.push_back(strongest);
    panel.note = agreementNote(result, head);
    if (absent > 0) panel.note += fmt::format(" · {} off the axes", absent);
    return panel;
}

}  // namespace

std::string rankAgreementText(double rho) {
    if (!std::isfinite(rho)) return "undefined";
    if (rho >= 0.95) return "nearly the same order";
    if (rho >= 0.8) return "mostly the same order";
    if (rho >= 0.5) return "a similar order";
    if (rho >= 0.2) return "a weakly similar order";
    return "no common order";
}

Figure contributionScatterFigure(const StabilityResult& result, const HeadStability& head) {
    Figure figure = contributionFrame(
        "stability-scatter", "Contributions on other prompts",
        fmt::format("χ of each dimension, {} against {} prompts", result.first.size(), result.second.size()),
        head.layer, head.head, result.warnings, result.provenance);
    figure.widthMm = 90.0;
    figure.heightMm = 80.0;
    const std::string empty = whyNoParts(result, head);
    figure.panels.push_back(empty.empty() ? scatterPanel(result, head) : emptyPanel(empty));
    return figure;
}

}  // namespace dimscope::analysis
