// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "analysis/figures/dimension_axis.h"
#include "analysis/figures/figure_parts.h"
#include "analysis/figures/profile_figures.h"

namespace dimscope::analysis {
namespace {

// chi of each prompt over its sum: (prompts, head_dim); a prompt without any chi gives zeros.
kernels::Matrix<double> promptShares(const kernels::Matrix<double>& chi) {
    kernels::Matrix<double> shares(chi.rows(), chi.cols());
    for (Index p = 0; p < chi.rows(); ++p) {
        const double total = std::accumulate(chi.row(p), chi.row(p) + chi.cols(), 0.0);
        for (Index r = 0; r < chi.cols(); ++r) shares(p, r) = total > 0.0 ? chi(p, r) / total : 0.0;
    }
    return shares;
}

class Contributions {
public:
    Contributions(const HeadProfile& head, const LayerInfo& layer, const HeadGrouping* grouping,
                  const FigureOptions& options)
        : head_(head),
          options_(options),
          axis_(static_cast<int>(head.chi.size()), layer, options.foldPairs),
          promptShares_(promptShares(head.chiPrompts)),
          marked_(markedDimensions(head, grouping)),
          labelled_(strongest(head, 5)),
          rank_(head.chi.size()) {
        for (std::size_t i = 0; i < head.order.size(); ++i)
            rank_[static_cast<std::size_t>(head.order[i])] = static_cast<int>(head.order.size() - i);
        effectiveTotal_ = std::accumulate(head.chiEffective.begin(), head.chiEffective.end(), 0.0);
        top_ = largest() * 1.15;
    }

    Panel panel() const {
        const std::vector<Arc> arcs = pairArcs();
        Panel panel;
        panel.x = axis_.axis();
        panel.y.title = "share of <i>χ</i>";
        panel.y.format = TickFormat::Percent;
        panel.y.to = top_;
        panel.y.ticks = niceTicks(0.0, top_);
        if (!arcs.empty()) panel.y.from = -top_ * std::min(0.8, 0.2 + 0.1 * static_cast<double>(arcs.size()));
        axis_.addBands(options_.brushed, panel);
        axis_.addHalves(false, panel);
        const std::string uniform = fmt::format("uniform, 1/{}", axis_.headDim());
        panel.marks.push_back(
            Rule{Rule::Direction::Horizontal, 1.0 / axis_.headDim(), inkOf(Role::Secondary), true, uniform, false});
        panel.marks.push_back(bars());
        panel.marks.push_back(Rule{Rule::Direction::Horizontal, 0.0, inkOf(Role::Text), false, {}, false});
        panel.marks.insert(panel.marks.end(), arcs.begin(), arcs.end());
        return panel;
    }

private:
    double share(int r) const { return head_.share[static_cast<std::size_t>(r)]; }

    double largest() const {
        double most = 1.0 / axis_.headDim();  // the uniform rule is always in sight
        for (int r = 0; r < axis_.headDim(); ++r) {
            most = std::max(most, share(r));
            if (const auto range = promptRange(promptShares_, r)) most = std::max(most, range->second);
        }
        return most;
    }

    Bars bars() const {
        Bars bars;
        for (int r = 0; r < axis_.headDim(); ++r) {
            Bars::Bar bar;
            bar.x = axis_.position(r);
            bar.top = share(r);
            bar.ink = dimensionInk(r, contains(marked_, r), false, axis_, options_);
            if (const auto range = promptRange(promptShares_, r)) {
                bar.whiskerFrom = range->first;
                bar.whiskerTo = range->second;
            }
            if (contains(labelled_, r)) bar.label = std::to_string(r);
            bar.hover = {r, hoverText(r)};
            bars.bars.push_back(std::move(bar));
        }
        return bars;
    }

    std::string hoverText(int r) const {
        const auto i = static_cast<std::size_t>(r);
        std::string text = fmt::format("dim {}: share {}, rank {}, χ {}", r, percentText(share(r)), rank_[i],
                                       numberText(head_.chi[i]));
        if (effectiveTotal_ > 0.0)
            text += fmt::format(", effective share {}", percentText(head_.chiEffective[i] / effectiveTotal_));
        if (const int partner = axis_.partner(r); partner >= 0) text += fmt::format(", partner {}", partner);
        return text;
    }

    // Pairs with both partners among the outliers, and the hovered pair; the strongest hangs deepest.
    std::vector<Arc> pairArcs() const {
        std::vector<std::pair<double, int>> pairs;  // share of the pair, its lower dimension
        for (int r = 0; r < axis_.headDim(); ++r) {
            const int partner = axis_.partner(r);
            if (partner < r) continue;
            const bool outliers = contains(marked_, r) && contains(marked_, partner);
            if (outliers || options_.hovered == r || options_.hovered == partner)
                pairs.emplace_back(share(r) + share(partner), r);
        }
        std::sort(pairs.begin(), pairs.end());
        std::vector<Arc> arcs;
        for (const auto& [pairShare, r] : pairs) {
            const int partner = axis_.partner(r);
            const double depth = static_cast<double>(arcs.size() + 1) / static_cast<double>(pairs.size() + 1);
            arcs.push_back({axis_.position(r), axis_.position(partner), depth, inkOf(Role::Partner),
                            fmt::format("{}–{}  {}", r, partner, percentText(pairShare))});
        }
        return arcs;
    }

    const HeadProfile& head_;
    const FigureOptions& options_;
    DimensionAxis axis_;
    kernels::Matrix<double> promptShares_;
    std::vector<int> marked_, labelled_;
    std::vector<int> rank_;  // (head_dim), 1 = strongest
    double effectiveTotal_ = 0.0, top_ = 1.0;
};

}  // namespace

Figure contributionFigure(const ProfileResult& result, const HeadProfile& head, const LayerInfo& layer,
                          const HeadGrouping* grouping, const FigureOptions& options) {
    Figure figure = headFigure("contribution", "Contribution share",
                               "χ of each dimension over the sum of all; pairs joined", result, head);
    figure.heightMm = 68.0;
    if (!head.usable())
        figure.panels.push_back(emptyPanel(nonFiniteText(head)));
    else if (strongest(head, 1).empty())
        figure.panels.push_back(emptyPanel("χ is zero in every dimension: there are no shares"));
    else
        figure.panels.push_back(Contributions(head, layer, grouping, options).panel());
    return figure;
}

}  // namespace dimscope::analysis
