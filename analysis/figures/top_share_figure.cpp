// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/figures/contribution_figures.h"
#include "analysis/figures/figure_parts.h"
#include "analysis/figures/head_axis.h"
#include "analysis/statistics.h"

namespace dimscope::analysis {
namespace {

/// What the figure knows of one head.
struct TopShare {
    double head = kNaN, same = kNaN, from = kNaN, to = kNaN;
    std::string text;
};

TopShare topShareOfHead(const HeadConcentration& head) {
    TopShare share{head.top5, meanOf(head.isotropic.same), quantileOf(head.isotropic.own, kDrawQuantiles.front()),
                   quantileOf(head.isotropic.own, kDrawQuantiles.back()), placeText(head.layer, head.head)};
    share.text += std::isfinite(share.head) ? fmt::format(": top 5 {}", percentText(share.head)) : ": undefined";
    if (std::isfinite(share.from))
        share.text += fmt::format(", isotropic {} to {}, the same five there {}", percentText(share.from),
                                  percentText(share.to), percentText(share.same));
    return share;
}

Points pointsOf(const std::vector<TopShare>& shares, double TopShare::*value, Role role, double sizePt) {
    Points points;
    for (std::size_t n = 0; n < shares.size(); ++n) {
        const double y = shares[n].*value;
        if (!std::isfinite(y)) continue;
        points.points.push_back(
            {static_cast<double>(n), y, inkOf(role), sizePt, {}, {static_cast<int>(n), shares[n].text}});
    }
    return points;
}

Bars drawRanges(const std::vector<TopShare>& shares) {
    Bars bars;
    for (std::size_t n = 0; n < shares.size(); ++n) {
        if (!std::isfinite(shares[n].from)) continue;
        Bars::Bar bar;
        bar.x = static_cast<double>(n);
        bar.base = shares[n].from;
        bar.top = shares[n].to;
        bar.ink = inkOf(Role::BulkQuery);
        bar.hover = {static_cast<int>(n), shares[n].text};
        bars.bars.push_back(std::move(bar));
    }
    return bars;
}

Panel topSharePanel(const ConcentrationResult& result) {
    std::vector<TopShare> shares;
    std::vector<std::pair<LayerIndex, HeadIndex>> heads;
    double most = 0.0;
    for (const HeadConcentration& head : result.heads) {
        heads.emplace_back(head.layer, head.head);
        shares.push_back(topShareOfHead(head));
        for (const double value : {shares.back().head, shares.back().to, shares.back().same})
            if (std::isfinite(value)) most = std::max(most, value);
    }
    if (!(most > 0.0)) return emptyPanel("no head has a share to show");
    Panel panel;
    panel.y.title = "top-5 share of <i>χ</i>";
    panel.y.format = TickFormat::Percent;
    panel.y.to = most * 1.2;  // room for the note
    panel.y.ticks = niceTicks(0.0, panel.y.to);
    addHeadAxis(heads, panel);
    if (result.draws > 0) {
        panel.marks.push_back(drawRanges(shares));
        Points same = pointsOf(shares, &TopShare::same, Role::Secondary, 3.0);
        same.shape = MarkerShape::Diamond;
        same.filled = false;
        panel.marks.push_back(same);
        panel.note = "disc: head · bar: isotropic, 5 to 95 % · diamond: the head's five there";
    }
    panel.marks.push_back(pointsOf(shares, &TopShare::head, Role::OutlierQuery, 4.5));
    return panel;
}

}  // namespace

Figure topShareFigure(const ConcentrationResult& result) {
    Figure figure;
    figure.name = "top-share";
    figure.title = "Top-5 share against isotropic draws";
    figure.caption = fmt::format("share of χ of the five strongest dimensions · {} {} · {} {}{}", result.heads.size(),
                                 result.heads.size() == 1 ? "head" : "heads", result.draws,
                                 result.draws == 1 ? "draw" : "draws", extentText(result.provenance, 0));
    figure.warnings = result.warnings;
    figure.provenance = result.provenance;
    figure.panels.push_back(result.heads.empty() ? emptyPanel("no head has a profile") : topSharePanel(result));
    return figure;
}

}  // namespace dimscope::analysis
