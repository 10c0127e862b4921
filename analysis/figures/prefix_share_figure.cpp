// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/figures/contribution_figures.h"
#include "analysis/figures/contribution_parts.h"
#include "analysis/figures/figure_parts.h"

namespace dimscope::analysis {
namespace {

constexpr std::size_t kMostLengthTicks = 10;

Line shareLine(const std::vector<Index>& lengths, const std::vector<double>& shares, Role role, const std::string& name,
               int key) {
    Line line;
    line.ink = inkOf(role);
    line.endLabel = name;
    line.hover = {key, name};
    for (std::size_t l = 0; l < lengths.size(); ++l)
        line.points.emplace_back(static_cast<double>(lengths[l]), shares[l]);
    return line;
}

// Lengths are powers of two but for the last: equal steps on a logarithmic axis, labelled by the lengths themselves.
Axis lengthAxis(const std::vector<Index>& lengths) {
    Axis axis;
    axis.title = "prefix length in positions";
    axis.scale = AxisScale::Log;
    axis.from = static_cast<double>(lengths.front());
    axis.to = static_cast<double>(lengths.back());
    const std::size_t step = (lengths.size() + kMostLengthTicks - 1) / kMostLengthTicks;
    for (std::size_t l = (lengths.size() - 1) % step; l < lengths.size(); l += step) {
        const auto length = static_cast<double>(lengths[l]);
        // A length just below the next one has no room for its number.
        if (l + 1 < lengths.size() && static_cast<double>(lengths.back()) < 1.3 * length) continue;
        axis.ticks.push_back(length);
        axis.tickLabels.push_back(std::to_string(lengths[l]));
    }
    return axis;
}

Panel prefixPanel(const StabilityResult& result, const HeadStability& head) {
    Panel panel;
    panel.x = lengthAxis(result.lengths);
    panel.y.title = "share of <i>χ</i>";
    panel.y.format = TickFormat::Percent;
    for (std::size_t t = 0; t < head.top.size(); ++t) {
        std::vector<double> shares;
        for (std::size_t l = 0; l < result.lengths.size(); ++l)
            shares.push_back(head.topShares(static_cast<Index>(l), static_cast<Index>(t)));
        Line line =
            shareLine(result.lengths, shares, Role::OutlierQuery, fmt::format("dim {}", head.top[t]), head.top[t]);
        line.markers = true;
        panel.marks.push_back(line);
    }
    Line sum =
        shareLine(result.lengths, head.fixedShare, Role::Text, fmt::format("sum of the {}", head.top.size()), -1);
    Line reselected = shareLine(result.lengths, head.reselectedShare, Role::Secondary, "selected at each length", -1);
    sum.dashed = reselected.dashed = true;
    double most = 0.0;
    for (const auto* line : {&sum, &reselected})
        for (const auto& [length, share] : line->points)
            if (std::isfinite(share)) most = std::max(most, share);
    panel.y.to = most * 1.15;
    panel.y.ticks = niceTicks(0.0, panel.y.to);
    panel.marks.push_back(reselected);
    panel.marks.push_back(sum);
    return panel;
}

}  // namespace

Figure prefixShareFigure(const StabilityResult& result, const HeadStability& head) {
    Figure figure = contributionFrame(
        "prefix-share", "Strongest dimensions by prefix length",
        fmt::format("share of χ of the {} that are strongest at full length", countText(head.top.size())), head.layer,
        head.head, result.warnings, result.provenance);
    figure.widthMm = 120.0;
    figure.heightMm = 70.0;
    if (!head.usable)
        figure.panels.push_back(emptyPanel(kNoProfileText));
    else if (!(head.fixedShare.back() > 0.0))
        figure.panels.push_back(emptyPanel(kNoContributionText));
    else if (result.lengths.size() < 2)
        figure.panels.push_back(emptyPanel("one prefix length only: there is nothing to follow"));
    else
        figure.panels.push_back(prefixPanel(result, head));
    return figure;
}

}  // namespace dimscope::analysis
