// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "analysis/figures/contribution_figures.h"
#include "analysis/figures/contribution_parts.h"
#include "analysis/figures/figure_parts.h"

namespace dimscope::analysis {
namespace {

Line profileLine(const std::vector<double>& chi, const std::string& name) {
    const double total = std::accumulate(chi.begin(), chi.end(), 0.0);
    Line line;
    line.endLabel = name;
    line.hover.text = name;
    for (std::size_t r = 0; r < chi.size(); ++r) line.points.emplace_back(static_cast<double>(r), chi[r] / total);
    return line;
}

double peakOf(const Line& line) {
    double peak = 0.0;
    for (const auto& [x, y] : line.points) peak = std::max(peak, y);
    return peak;
}

Panel overlayPanel(const StabilityResult& result, const HeadStability& head) {
    const auto [firstName, secondName] = partNames(result);
    Line first = profileLine(head.chiFirst, firstName), second = profileLine(head.chiSecond, secondName);
    first.ink = inkOf(Role::OutlierQuery);
    second.ink = inkOf(Role::Text);
    second.dashed = true;
    Panel panel;
    panel.x.title = "dimension";
    panel.x.from = -0.5;
    panel.x.to = static_cast<double>(head.chi.size()) - 0.5;
    panel.x.grid = false;
    for (const int tick : countTicks(static_cast<int>(head.chi.size()))) panel.x.ticks.push_back(tick);
    panel.y.title = "share of <i>χ</i>";
    panel.y.format = TickFormat::Percent;
    panel.y.to = 1.15 * std::max(peakOf(first), peakOf(second));
    panel.y.ticks = niceTicks(0.0, panel.y.to);
    panel.marks = {first, second};
    return panel;
}

}  // namespace

Figure contributionOverlayFigure(const StabilityResult& result, const HeadStability& head) {
    Figure figure = contributionFrame("stability-overlay", "Contribution share on both parts of the prompts",
                                      fmt::format("{} and {} prompts", result.first.size(), result.second.size()),
                                      head.layer, head.head, result.warnings, result.provenance);
    const std::string empty = whyNoParts(result, head);
    figure.panels.push_back(empty.empty() ? overlayPanel(result, head) : emptyPanel(empty));
    return figure;
}

}  // namespace dimscope::analysis
