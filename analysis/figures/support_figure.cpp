// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>

#include "analysis/figures/figure_parts.h"
#include "analysis/figures/grouping_figures.h"

namespace dimscope::analysis {
namespace {

constexpr double kMostRatio = 1e6;  // a cut above a zero contribution has no finite ratio to draw

class CandidateCuts {
public:
    CandidateCuts(const GroupingParams& params, const HeadGrouping& head) : params_(params), head_(head) {}

    std::vector<Panel> panels() const {
        Panel ratios;
        ratios.x = cutAxis();
        ratios.y.title = "ratio <i>ρ</i>";
        ratios.y.scale = AxisScale::Log;
        ratios.y.from = 0.95;
        ratios.y.to = std::max(largestRatio(), params_.tau) * 1.2;
        ratios.marks.push_back(Rule{Rule::Direction::Horizontal, params_.tau, inkOf(Role::Secondary), true,
                                    "<i>τ</i> = " + numberText(params_.tau), false});
        ratios.marks.push_back(ratioPoints());

        Panel supports;
        supports.x = cutAxis();
        supports.y.title = "support";
        supports.y.format = TickFormat::Percent;
        supports.y.to = 1.08;
        supports.y.ticks = {0.0, 0.5, 1.0};
        supports.marks.push_back(Rule{Rule::Direction::Horizontal, params_.gamma, inkOf(Role::Secondary), true,
                                      "<i>γ</i> = " + roundPercentText(params_.gamma), false});
        supports.marks.push_back(supportBars());
        return {ratios, supports};
    }

private:
    double ratio(int cut) const { return std::min(head_.ratio[static_cast<std::size_t>(cut)], kMostRatio); }
    double support(int cut) const { return head_.support[static_cast<std::size_t>(cut)]; }
    bool chosen(int cut) const { return contains(head_.cuts, cut); }
    Ink ink(int cut) const { return inkOf(chosen(cut) ? Role::OutlierQuery : Role::BulkQuery); }

    double largestRatio() const {
        double most = 1.0;
        for (int cut : head_.candidates) most = std::max(most, ratio(cut));
        return most;
    }

    // Cuts are counted by the dimensions above them: what a person would get as outliers by cutting there.
    double dimensionsAbove(int cut) const { return static_cast<double>(head_.order.size()) - 1 - cut; }

    Axis cutAxis() const {
        double most = 1.0;
        for (int cut : head_.candidates) most = std::max(most, dimensionsAbove(cut));
        Axis axis;
        axis.title = "dimensions above the cut";
        axis.from = 0.5;
        axis.to = most + 0.5;
        axis.grid = false;
        for (int tick : countTicks(static_cast<int>(most))) axis.ticks.push_back(tick + 1);
        return axis;
    }

    Hover hover(int cut) const {
        const int below = head_.order[static_cast<std::size_t>(cut)],
                  above = head_.order[static_cast<std::size_t>(cut) + 1];
        std::string text =
            fmt::format("cut between dims {} and {}: ρ {}, support {}", below, above,
                        numberText(head_.ratio[static_cast<std::size_t>(cut)]), percentText(support(cut)));
        if (contains(head_.naturalCuts, cut))
            text += ", natural";
        else if (chosen(cut))
            text += fmt::format(", added to reach {} groups", params_.minGroups);
        return {cut, text};
    }

    Points ratioPoints() const {
        Points points;
        points.shape = MarkerShape::Diamond;
        for (int cut : head_.candidates) {
            points.points.push_back({dimensionsAbove(cut), std::max(ratio(cut), 1.0), ink(cut), 5.0, {}, hover(cut)});
        }
        return points;
    }

    Bars supportBars() const {
        Bars bars;
        for (int cut : head_.candidates) {
            Bars::Bar bar;
            bar.x = dimensionsAbove(cut);
            bar.top = support(cut);
            bar.ink = ink(cut);
            bar.hover = hover(cut);
            bars.bars.push_back(std::move(bar));
        }
        return bars;
    }

    const GroupingParams& params_;
    const HeadGrouping& head_;
};

}  // namespace

Figure supportFigure(const GroupingResult& result, const HeadGrouping& head) {
    const GroupingParams& params = result.params;
    const std::size_t draws =
        params.bootstrap.empty() ? static_cast<std::size_t>(params.replicates) : params.bootstrap.size();
    Figure figure;
    figure.name = headStem("support", head.layer, head.head);
    figure.title = "Candidate cuts";
    figure.caption = fmt::format("ratio of neighbours and its support in {} draws; chosen cuts coloured · {}{}", draws,
                                 placeText(head.layer, head.head), extentText(result.provenance, 0));
    figure.widthMm = 85.0;
    figure.heightMm = 68.0;
    figure.sharedX = true;
    figure.warnings = result.warnings;
    figure.provenance = result.provenance;
    if (!head.usable)
        figure.panels.push_back(emptyPanel("this head has NaN or infinite values: it is not grouped"));
    else if (head.candidates.empty())
        figure.panels.push_back(emptyPanel("no candidate cut: the tail holds fewer than two dimensions"));
    else
        figure.panels = CandidateCuts(params, head).panels();
    return figure;
}

}  // namespace dimscope::analysis
