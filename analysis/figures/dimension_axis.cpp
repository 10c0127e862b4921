// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/figures/dimension_axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/figures/figure_parts.h"

namespace dimscope::analysis {

int partnerOf(int dimension, int headDim, const LayerInfo& layer) {
    if (dimension < 0 || dimension >= headDim) return -1;
    const int partner = ropePartner(dimension, layer);
    return partner >= 0 && partner < headDim && partner != dimension ? partner : -1;
}

std::vector<int> foldedOrder(int headDim, const LayerInfo& layer) {
    std::vector<int> paired, single;
    for (int r = 0; r < headDim; ++r) {
        const int partner = partnerOf(r, headDim, layer);
        if (partner < 0) single.push_back(r);
        if (partner > r) paired.insert(paired.end(), {r, partner});
    }
    paired.insert(paired.end(), single.begin(), single.end());
    return paired;
}

DimensionAxis::DimensionAxis(int headDim, const LayerInfo& layer, bool fold) : layer_(&layer), fold_(fold) {
    position_.resize(static_cast<std::size_t>(headDim));
    order_.resize(position_.size());
    for (int r = 0; r < headDim; ++r) order_[static_cast<std::size_t>(r)] = r;
    if (fold) order_ = foldedOrder(headDim, layer);
    for (int i = 0; i < headDim; ++i) position_[static_cast<std::size_t>(order_[static_cast<std::size_t>(i)])] = i;
}

Axis DimensionAxis::axis() const {
    Axis axis;
    axis.title = fold_ ? "head dimension <i>r</i>, RoPE partners side by side" : "head dimension <i>r</i>";
    axis.from = -0.5;
    axis.to = std::max(headDim(), 1) - 0.5;
    axis.grid = false;
    if (!fold_) {
        for (int r : countTicks(headDim())) axis.ticks.push_back(r);
        return axis;
    }
    int shown = -1;
    for (int i : countTicks(headDim())) {
        const int r = order_[static_cast<std::size_t>(i)];
        const int mate = partner(r);
        if (mate < 0) {
            axis.ticks.push_back(i);
            axis.tickLabels.push_back(std::to_string(r));
        } else if (std::min(r, mate) != shown) {  // a pair is labelled once, in its middle
            shown = std::min(r, mate);
            axis.ticks.push_back(0.5 * (position(r) + position(mate)));
            axis.tickLabels.push_back(fmt::format("{}–{}", shown, std::max(r, mate)));
        }
    }
    return axis;
}

void DimensionAxis::addBands(const std::vector<int>& brushed, Panel& panel) const {
    for (int r : brushed)
        if (r >= 0 && r < headDim())
            panel.marks.push_back(
                Band{Rule::Direction::Vertical, position(r) - 0.5, position(r) + 0.5, inkOf(Role::Band)});
}

void DimensionAxis::addHalves(bool labels, Panel& panel) const {
    const int half = partner(0);
    if (fold_ || layer_->ropeLayout != "half" || half < 1) return;
    const double middle = half - 0.5;
    const Ink ink = inkOf(Role::Secondary);
    Rule rule{Rule::Direction::Vertical, middle, ink, false, {}, false};
    if (labels) rule.label = fmt::format("RoPE partners, <i>r</i> + {}", half);
    panel.marks.push_back(rule);
    if (labels)
        panel.marks.push_back(Rule{Rule::Direction::Vertical, middle, ink, false, "first half, <i>r</i>", true});
    if (2 * half < headDim())
        panel.marks.push_back(
            Rule{Rule::Direction::Vertical, 2 * half - 0.5, ink, false, labels ? "not rotated" : std::string(), false});
}

std::vector<int> strongest(const HeadProfile& head, int n) {
    std::vector<int> dimensions;
    for (auto it = head.order.rbegin(); it != head.order.rend() && static_cast<int>(dimensions.size()) < n; ++it)
        if (head.chi[static_cast<std::size_t>(*it)] > 0.0) dimensions.push_back(*it);
    return dimensions;
}

std::vector<int> markedDimensions(const HeadProfile& head, const HeadGrouping* grouping) {
    if (!grouping || !grouping->usable) return strongest(head, 5);
    std::vector<int> marked;
    for (int r : strongest(head, static_cast<int>(head.order.size())))
        if (std::binary_search(grouping->outliers.begin(), grouping->outliers.end(), r)) marked.push_back(r);
    return marked;
}

std::optional<std::pair<double, double>> promptRange(const kernels::Matrix<double>& prompts, int dimension) {
    if (prompts.rows() < 2 || dimension >= prompts.cols()) return std::nullopt;
    double least = prompts(0, dimension), most = least;
    for (Index p = 0; p < prompts.rows(); ++p) {
        const double value = prompts(p, dimension);
        if (!std::isfinite(value)) return std::nullopt;
        least = std::min(least, value);
        most = std::max(most, value);
    }
    return std::pair{least, most};
}

Ink dimensionInk(int dimension, bool outlier, bool key, const DimensionAxis& axis, const FigureOptions& options) {
    if (dimension == options.hovered) return inkOf(Role::Text);
    if (options.hovered >= 0 && axis.partner(options.hovered) == dimension) return inkOf(Role::Partner);
    if (outlier) return inkOf(key ? Role::OutlierKey : Role::OutlierQuery);
    return inkOf(key ? Role::BulkKey : Role::BulkQuery);
}

Figure headFigure(const std::string& stem, const std::string& title, const std::string& what,
                  const ProfileResult& result, const HeadProfile& head) {
    Figure figure;
    figure.name = headStem(stem, head.layer, head.head);
    figure.title = title;
    figure.caption =
        what + " · " + placeText(head.layer, head.head) + extentText(result.provenance, result.prompts.size());
    figure.warnings = result.warnings;
    figure.provenance = result.provenance;
    return figure;
}

std::string nonFiniteText(const HeadProfile& head) {
    return fmt::format("{} {} of q or k {} NaN or infinite: this head has no profile", head.nonFinite,
                       head.nonFinite == 1 ? "value" : "values", head.nonFinite == 1 ? "is" : "are");
}

}  // namespace dimscope::analysis
