// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/figures/dimension_axis.h"
#include "analysis/figures/figure_parts.h"
#include "analysis/figures/profile_figures.h"

namespace dimscope::analysis {
namespace {

constexpr double kLeastShownRatio = 1e-6;  // shares below this part of the largest stand at the axis' lower end
constexpr double kLabelHeight = 0.065;     // of the height of the panel
constexpr double kTextStep = 0.1;          // between the lines of the cuts, of the height of the panel
constexpr std::size_t kMostNamedTogether = 3, kMostCutTexts = 4;

class SortedProfile {
public:
    SortedProfile(const HeadProfile& head, const HeadGrouping* grouping, const FigureOptions& options,
                  const GroupingParams* params)
        : head_(head),
          grouping_(grouping && grouping->usable ? grouping : nullptr),
          options_(options),
          params_(params) {
        if (grouping_) labels_ = grouping_->labels();
        setShareRange();
    }

    std::vector<Panel> panels() const {
        std::vector<Panel> panels{profilePanel()};
        if (grouping_ && !grouping_->candidates.empty()) panels.push_back(supportPanel());
        return panels;
    }

private:
    int headDim() const { return static_cast<int>(head_.order.size()); }
    int dimensionAt(int i) const { return head_.order[static_cast<std::size_t>(i)]; }
    double shareAt(int i) const { return head_.share[static_cast<std::size_t>(dimensionAt(i))]; }
    // A cut with zero-based left rank c lies between the one-based ranks c + 1 and c + 2.
    static double placeOf(int cut) { return cut + 1.5; }

    void setShareRange() {
        const double most = shareAt(headDim() - 1);
        double least = most;
        for (int i = headDim() - 1; i >= 0 && shareAt(i) > 0.0; --i)
            least = std::max(shareAt(i), most * kLeastShownRatio);
        const double uniform = 1.0 / headDim();
        from_ = std::min(least, uniform) / 1.3;
        to_ = std::max(most, uniform) * 1.3;
    }

    Axis rankAxis() const {
        Axis axis;
        axis.title = "rank of dimension by <i>χ</i>";
        axis.from = 0.0;
        axis.to = headDim() * 1.06 + 1.0;  // room for the last label
        axis.grid = false;
        for (int tick : countTicks(headDim() + 1, 6)) axis.ticks.push_back(std::max(tick, 1));
        axis.ticks.erase(std::unique(axis.ticks.begin(), axis.ticks.end()), axis.ticks.end());
        return axis;
    }

    Panel profilePanel() const {
        Panel panel;
        panel.x = rankAxis();
        panel.y.title = "share of <i>χ</i>";
        panel.y.format = TickFormat::Percent;
        panel.y.scale = AxisScale::Log;
        panel.y.from = from_;
        panel.y.to = to_;
        addCandidateBand(panel);
        panel.marks.push_back(Rule{Rule::Direction::Horizontal, 1.0 / headDim(), inkOf(Role::Secondary), true,
                                   fmt::format("uniform, 1/{}", headDim()), false});
        addCutRules(panel);
        addCutTexts(panel);
        panel.marks.push_back(points());
        return panel;
    }

    void addCandidateBand(Panel& panel) const {
        if (!grouping_ || grouping_->candidates.empty()) return;
        const auto [least, most] = std::minmax_element(grouping_->candidates.begin(), grouping_->candidates.end());
        panel.marks.push_back(Band{Rule::Direction::Vertical, *least + 0.5, *most + 2.5, inkOf(Role::Band)});
    }

    void addCutRules(Panel& panel) const {
        if (!grouping_) return;
        for (int cut : grouping_->cuts)
            panel.marks.push_back(Rule{Rule::Direction::Vertical, placeOf(cut), inkOf(Role::Text), false, {}, false});
    }

    std::string supportText(int cut) const {
        std::string text = "support " + roundPercentText(grouping_->support[static_cast<std::size_t>(cut)]);
        if (params_ && grouping_->cuts.size() == 1) {  // several cuts have one line each and no room for it
            const std::size_t injected = params_->bootstrap.size();
            text += fmt::format(" of {} draws", injected ? injected : static_cast<std::size_t>(params_->replicates));
        }
        return text;
    }

    // Texts stand left of the lowest cut, where the ascending profile leaves room: a single cut on two lines, several
    // on one line each, the highest cut on top.
    void addCutTexts(Panel& panel) const {
        if (!grouping_) return;
        std::vector<int> cuts = grouping_->cuts;
        std::sort(cuts.rbegin(), cuts.rend());
        if (cuts.empty()) return;
        const double x = std::max(placeOf(cuts.back()) - 0.012 * headDim(), 0.0);
        const double step = std::pow(to_ / from_, -kTextStep);
        double y = to_ * std::sqrt(step);
        const auto add = [&](const std::string& text, bool bold, Role role) {
            panel.marks.push_back(Text{x, y, text, Text::Anchor::Right, inkOf(role), bold});
            y *= step;
        };
        const std::size_t shown = std::min(cuts.size(), kMostCutTexts);
        for (std::size_t i = 0; i < shown; ++i) {
            const int cut = cuts[i];
            const std::string ratio = "cut <i>ρ</i> = " + numberText(grouping_->ratio[static_cast<std::size_t>(cut)]);
            if (cuts.size() > 1) {
                add(ratio + ", " + supportText(cut), false, Role::Text);
            } else {
                add(ratio, true, Role::Text);
                add(supportText(cut), false, Role::Secondary);
            }
        }
        if (cuts.size() > shown)
            add(fmt::format("and {} more", countText(cuts.size() - shown)), false, Role::Secondary);
    }

    // Bulk grey; outlier groups alternate between the two outlier colours from the strongest downwards.
    Ink inkAt(int i, const std::vector<int>& marked) const {
        const int r = dimensionAt(i);
        if (r == options_.hovered) return inkOf(Role::Text);
        if (!grouping_) {
            return inkOf(contains(marked, r) ? Role::OutlierQuery : Role::BulkQuery);
        }
        const int group = labels_[static_cast<std::size_t>(r)];
        if (group == 0) return inkOf(Role::BulkQuery);
        const int fromTop = static_cast<int>(grouping_->groups.size()) - 1 - group;
        return inkOf(fromTop % 2 == 0 ? Role::OutlierQuery : Role::OutlierKey);
    }

    // Labels stand right of their points, so a marked dimension is named where its right neighbour is a label's height
    // above it. The few just below it are named along with it, "55, 61"; of many the highest stands for all.
    std::string labelAt(int i, const std::vector<int>& marked) const {
        const double apart = std::pow(to_ / from_, kLabelHeight);
        const auto crowded = [&](int left) { return shareAt(left + 1) < shareAt(left) * apart; };
        if (!contains(marked, dimensionAt(i)) || (i + 1 < headDim() && crowded(i))) return {};
        std::vector<int> names{dimensionAt(i)};
        for (int j = i - 1; j >= 0 && crowded(j) && contains(marked, dimensionAt(j)); --j)
            names.push_back(dimensionAt(j));
        return names.size() <= kMostNamedTogether ? commaList(names) : std::to_string(names.front());
    }

    Points points() const {
        const std::vector<int> marked = markedDimensions(head_, grouping_);
        Points points;
        for (int i = headDim() - 1; i >= 0; --i) {
            const int r = dimensionAt(i);
            if (!(shareAt(i) > 0.0)) continue;
            Points::Point point;
            point.x = i + 1.0;
            point.y = std::max(shareAt(i), from_);
            point.ink = inkAt(i, marked);
            if (contains(options_.brushed, r)) point.sizePt = 6.0;
            point.label = labelAt(i, marked);
            point.hover = {r, fmt::format("dim {}: share {}, rank {}, χ {}", r, percentText(shareAt(i)), headDim() - i,
                                          numberText(head_.chi[static_cast<std::size_t>(r)]))};
            points.points.push_back(std::move(point));
        }
        return points;
    }

    Panel supportPanel() const {
        Panel panel;
        panel.x = rankAxis();
        panel.y.title = "support";
        panel.y.format = TickFormat::Percent;
        panel.y.ticks = {0.0, 1.0};
        panel.weight = 0.22;
        addCandidateBand(panel);
        Bars bars;
        for (int cut : grouping_->candidates) {
            const double support = grouping_->support[static_cast<std::size_t>(cut)];
            const bool chosen = contains(grouping_->cuts, cut);
            Bars::Bar bar;
            bar.x = placeOf(cut);
            bar.top = support;
            bar.ink = inkOf(chosen ? Role::OutlierQuery : Role::BulkQuery);
            bar.hover = {dimensionAt(cut + 1), fmt::format("cut below dim {}: ρ {}, support {}", dimensionAt(cut + 1),
                                                           numberText(grouping_->ratio[static_cast<std::size_t>(cut)]),
                                                           percentText(support))};
            bars.bars.push_back(std::move(bar));
        }
        panel.marks.push_back(std::move(bars));
        return panel;
    }

    const HeadProfile& head_;
    const HeadGrouping* grouping_;
    const FigureOptions& options_;
    const GroupingParams* params_;
    std::vector<int> labels_;  // (head_dim) group of each dimension
    double from_ = 1e-3, to_ = 1.0;
};

}  // namespace

Figure sortedProfileFigure(const ProfileResult& result, const HeadProfile& head, const HeadGrouping* grouping,
                           const FigureOptions& options, const GroupingParams* params) {
    const bool grouped = grouping && grouping->usable && !grouping->candidates.empty();
    Figure figure = headFigure(
        "sorted", "Sorted profile",
        grouped ? "share of χ in ascending order; cuts may lie in the shaded range" : "share of χ in ascending order",
        result, head);
    figure.widthMm = 85.0;
    figure.heightMm = 68.0;
    figure.sharedX = true;
    if (!head.usable())
        figure.panels.push_back(emptyPanel(nonFiniteText(head)));
    else if (strongest(head, 1).empty())
        figure.panels.push_back(emptyPanel("χ is zero in every dimension: there are no shares"));
    else
        figure.panels = SortedProfile(head, grouping, options, params).panels();
    if (head.usable()) {
        const auto zeros = std::count(head.share.begin(), head.share.end(), 0.0);
        if (zeros > 0 && !strongest(head, 1).empty())
            figure.panels.front().note =
                fmt::format("{} {} with share 0 left out", zeros, zeros == 1 ? "dimension" : "dimensions");
    }
    return figure;
}

}  // namespace dimscope::analysis
