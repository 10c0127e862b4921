// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>

#include "analysis/figures/figure_parts.h"
#include "analysis/figures/grouping_figures.h"

namespace dimscope::analysis {
namespace {

constexpr std::size_t kMostNumberedBars = 40;  // more bars than this have no room for their numbers

std::string hoverText(const HeadGrouping& head) {
    const std::string place = placeText(head.layer, head.head);
    if (!head.usable) return place + ": NaN or infinite values, not grouped";
    if (head.outliers.empty()) return place + ": no outlier dimensions";
    return fmt::format("{}: {} outlier {} ({}), {} of χ", place, head.outliers.size(),
                       head.outliers.size() == 1 ? "dimension" : "dimensions", commaList(head.outliers),
                       percentText(head.outlierShare()));
}

Bars countBars(const GroupingResult& result) {
    Bars bars;
    for (std::size_t i = 0; i < result.heads.size(); ++i) {
        const HeadGrouping& head = result.heads[i];
        Bars::Bar bar;
        bar.x = static_cast<double>(i);
        bar.top = head.usable ? static_cast<double>(head.outliers.size()) : 0.0;
        bar.ink = inkOf(Role::OutlierQuery);
        if (result.heads.size() <= kMostNumberedBars) bar.label = head.usable ? fmt::format("{:.0f}", bar.top) : "?";
        bar.hover = {static_cast<int>(i), hoverText(head)};
        bars.bars.push_back(std::move(bar));
    }
    return bars;
}

void addHeads(const GroupingResult& result, Panel& panel) {
    for (int tick : countTicks(static_cast<int>(result.heads.size()), 16)) {
        panel.x.ticks.push_back(tick);
        panel.x.tickLabels.push_back(std::to_string(result.heads[static_cast<std::size_t>(tick)].head.value));
    }
}

// One tick in the middle of each layer, as many as have room, and a thin rule before each layer but the first.
void addLayers(const GroupingResult& result, Panel& panel) {
    std::vector<std::size_t> firsts;
    for (std::size_t i = 0; i < result.heads.size(); ++i)
        if (i == 0 || result.heads[i].layer != result.heads[i - 1].layer) firsts.push_back(i);
    firsts.push_back(result.heads.size());
    const std::vector<int> shown = countTicks(static_cast<int>(firsts.size()) - 1, 16);
    for (std::size_t l = 0; l + 1 < firsts.size(); ++l) {
        if (l > 0)
            panel.marks.push_back(Rule{Rule::Direction::Vertical,
                                       static_cast<double>(firsts[l]) - 0.5,
                                       inkOf(Role::Secondary),
                                       false,
                                       {},
                                       false});
        if (!contains(shown, static_cast<int>(l))) continue;
        panel.x.ticks.push_back(0.5 * static_cast<double>(firsts[l] + firsts[l + 1] - 1));
        panel.x.tickLabels.push_back(fmt::format("L{}", result.heads[firsts[l]].layer.value));
    }
}

Panel countPanel(const GroupingResult& result) {
    std::size_t most = 1;
    for (const HeadGrouping& head : result.heads) most = std::max(most, head.outliers.size());
    Panel panel;
    const bool oneLayer = result.heads.front().layer == result.heads.back().layer;
    panel.x.title = oneLayer ? "head" : "heads, layer after layer";
    panel.x.from = -0.5;
    panel.x.to = static_cast<double>(result.heads.size()) - 0.5;
    panel.x.grid = false;
    panel.y.title = "outlier dimensions";
    panel.y.to = static_cast<double>(most) * 1.12;
    for (double tick : niceTicks(0.0, static_cast<double>(most)))
        if (tick == static_cast<double>(static_cast<Index>(tick))) panel.y.ticks.push_back(tick);
    (oneLayer ? addHeads : addLayers)(result, panel);
    panel.marks.push_back(countBars(result));
    return panel;
}

}  // namespace

Figure outlierCountFigure(const GroupingResult& result) {
    Figure figure;
    figure.name = "outlier-count";
    figure.title = "Outlier dimensions per head";
    figure.caption = fmt::format("dimensions outside the bulk group · {} {}{}", result.heads.size(),
                                 result.heads.size() == 1 ? "head" : "heads", extentText(result.provenance, 0));
    figure.warnings = result.warnings;
    figure.provenance = result.provenance;
    figure.panels.push_back(result.heads.empty() ? emptyPanel("no head is grouped") : countPanel(result));
    return figure;
}

}  // namespace dimscope::analysis
