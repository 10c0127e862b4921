// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>

#include "analysis/figures/contribution_figures.h"
#include "analysis/figures/contribution_parts.h"
#include "analysis/figures/figure_parts.h"

namespace dimscope::analysis {
namespace {

Line curveLine(const std::vector<double>& curve, Role role, double widthPt, const std::string& name) {
    Line line;
    line.ink = inkOf(role);
    line.widthPt = widthPt;
    line.endLabel = name;
    line.hover.text = name;
    const auto dimensions = static_cast<double>(curve.size() - 1);
    for (std::size_t n = 0; n < curve.size(); ++n)
        // Sums of shares may end a rounding error above 1.
        line.points.emplace_back(static_cast<double>(n) / dimensions, std::min(curve[n], 1.0));
    return line;
}

Axis shareAxis(const char* title) {
    Axis axis;
    axis.title = title;
    axis.format = TickFormat::Percent;
    axis.ticks = {0.0, 0.25, 0.5, 0.75, 1.0};
    return axis;
}

Panel lorenzPanel(const HeadConcentration& head) {
    Panel panel;
    panel.x = shareAxis("weakest dimensions");
    panel.y = shareAxis("their share of <i>χ</i>");
    Line equal = curveLine({0.0, 1.0}, Role::Secondary, 0.75, "equal shares");
    equal.dashed = true;
    panel.marks.push_back(equal);
    const IsotropicShares& draws = head.isotropic;
    if (!draws.lorenz.empty()) {
        for (const auto* edge : {&draws.lorenzFrom, &draws.lorenzTo}) {
            Line line = curveLine(*edge, Role::BulkKey, 0.5, "");
            line.hover.text = "least and largest of the isotropic draws";
            panel.marks.push_back(line);
        }
        panel.marks.push_back(curveLine(draws.lorenz, Role::BulkQuery, 1.0, "isotropic"));
    }
    panel.marks.push_back(curveLine(head.lorenz, Role::OutlierQuery, 1.5, "head"));
    panel.note =
        fmt::format("top 5: {} · effective dimensions {}", percentText(head.top5), numberText(head.effectiveDims));
    return panel;
}

}  // namespace

Figure lorenzFigure(const ConcentrationResult& result, const HeadConcentration& head) {
    Figure figure = contributionFrame(
        "lorenz", "Concentration of χ",
        result.draws == 0 ? "Lorenz curve" : fmt::format("Lorenz curve; {} isotropic draws", result.draws), head.layer,
        head.head, result.warnings, result.provenance);
    figure.widthMm = 100.0;
    figure.heightMm = 75.0;
    if (!head.usable)
        figure.panels.push_back(emptyPanel(kNoProfileText));
    else if (!(head.effectiveDims > 0.0))
        figure.panels.push_back(emptyPanel(kNoContributionText));
    else
        figure.panels.push_back(lorenzPanel(head));
    return figure;
}

}  // namespace dimscope::analysis
