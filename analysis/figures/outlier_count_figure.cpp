// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>

#include "analysis/figures/figure_parts.h"
#include "analysis/figures/grouping_figures.h"
#include "analysis/figures/head_axis.h"

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

Panel countPanel(const GroupingResult& result) {
    std::size_t most = 1;
    std::vector<std::pair<LayerIndex, HeadIndex>> heads;
    for (const HeadGrouping& head : result.heads) {
        most = std::max(most, head.outliers.size());
        heads.emplace_back(head.layer, head.head);
    }
    Panel panel;
    panel.y.title = "outlier dimensions";
    panel.y.to = static_cast<double>(most) * 1.12;
    for (double tick : niceTicks(0.0, static_cast<double>(most)))
        if (tick == static_cast<double>(static_cast<Index>(tick))) panel.y.ticks.push_back(tick);
    addHeadAxis(heads, panel);
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
