// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "analysis/figures/contribution_figures.h"
#include "analysis/figures/figure_parts.h"

namespace dimscope::analysis {
namespace {

/// The magnitudes of one tensor by layer; null where a layer lacks them.
struct TensorByLayer {
    std::string axisTitle;
    std::vector<const MagnitudeSummary*> layers;
    bool any() const {
        return std::any_of(layers.begin(), layers.end(),
                           [](const MagnitudeSummary* summary) { return summary && std::isfinite(summary->median); });
    }
};

template <class Pick>
TensorByLayer tensorByLayer(const std::string& axisTitle, const LayerMagnitudesResult& result, const Pick& pick) {
    TensorByLayer tensor{axisTitle, {}};
    for (const LayerMagnitudes& layer : result.layers) tensor.layers.push_back(pick(layer));
    return tensor;
}

const MagnitudeSummary* pointerTo(const std::optional<MagnitudeSummary>& summary) {
    return summary ? &*summary : nullptr;
}

std::vector<TensorByLayer> tensorsOf(const LayerMagnitudesResult& result) {
    const bool maximum = std::any_of(result.layers.begin(), result.layers.end(),
                                     [](const LayerMagnitudes& layer) { return layer.hiddenIsMaximum; });
    return {tensorByLayer("mean |<i>q</i>|", result, [](const LayerMagnitudes& l) { return &l.query; }),
            tensorByLayer("mean |<i>k</i>|", result, [](const LayerMagnitudes& l) { return &l.key; }),
            tensorByLayer("mean |<i>v</i>|", result, [](const LayerMagnitudes& l) { return pointerTo(l.value); }),
            tensorByLayer("mean |<i>yW</i><sub>o</sub>|", result,
                          [](const LayerMagnitudes& l) { return pointerTo(l.output); }),
            tensorByLayer(maximum ? "max |<i>h</i>|" : "mean |<i>h</i>|", result,
                          [](const LayerMagnitudes& l) { return pointerTo(l.hidden); })};
}

/// What is drawn of a summary: its n-th largest, or with n = 3 the median. Not positive: NaN, off a logarithmic axis.
double shownValue(const MagnitudeSummary* summary, std::size_t n) {
    if (!summary) return kNaN;
    const double value = n == 3 ? summary->median : n < summary->top.size() ? summary->top[n].value : kNaN;
    return value > 0.0 ? value : kNaN;
}

std::string hoverOfLayers(const TensorByLayer& tensor, const LayerMagnitudesResult& result, const char* name) {
    const auto last = result.layers.size() - 1;
    return tensor.layers[last] ? fmt::format("{}; layer {}: median {}", name, result.layers[last].layer.value,
                                             numberText(tensor.layers[last]->median))
                               : std::string(name);
}

Line magnitudeLine(const TensorByLayer& tensor, const LayerMagnitudesResult& result, std::size_t n) {
    static constexpr std::array kNames{"largest", "second", "third", "median"};
    Line line;
    line.ink = inkOf(n == 3 ? Role::BulkQuery : n == 0 ? Role::OutlierQuery : Role::OutlierKey);
    line.dashed = n == 3;
    line.markers = true;
    line.hover.text = hoverOfLayers(tensor, result, kNames[n]);
    for (std::size_t l = 0; l < result.layers.size(); ++l)
        line.points.emplace_back(result.layers[l].layer.value, shownValue(tensor.layers[l], n));
    while (!line.points.empty() && std::isnan(line.points.back().second)) line.points.pop_back();
    if (!line.points.empty()) line.endLabel = kNames[n];
    return line;
}

Axis layerAxis(const LayerMagnitudesResult& result) {
    Axis axis;
    axis.title = "layer";
    axis.from = static_cast<double>(result.layers.front().layer.value) - 0.5;
    axis.to = static_cast<double>(result.layers.back().layer.value) + 0.5;
    axis.grid = false;
    for (const int tick : countTicks(static_cast<int>(result.layers.size()), 12))
        axis.ticks.push_back(result.layers[static_cast<std::size_t>(tick)].layer.value);
    return axis;
}

Panel magnitudePanel(const TensorByLayer& tensor, const LayerMagnitudesResult& result) {
    Panel panel;
    panel.x = layerAxis(result);
    panel.y.title = tensor.axisTitle;
    panel.y.scale = AxisScale::Log;
    double least = std::numeric_limits<double>::infinity(), most = 0.0;
    for (std::size_t n = 0; n < 4; ++n) {
        Line line = magnitudeLine(tensor, result, n);
        if (line.points.empty()) continue;
        for (const auto& [layer, value] : line.points) {
            if (std::isnan(value)) continue;
            least = std::min(least, value);
            most = std::max(most, value);
        }
        panel.marks.push_back(std::move(line));
    }
    if (!(most > 0.0)) return emptyPanel(tensor.axisTitle + " is zero");
    panel.y.from = least / 1.5;
    panel.y.to = most * 1.5;
    return panel;
}

}  // namespace

Figure layerMagnitudesFigure(const LayerMagnitudesResult& result) {
    Figure figure;
    figure.name = "layer-magnitudes";
    figure.title = "Magnitudes by layer";
    figure.caption = fmt::format("three largest dimensions and the median{}", extentText(result.provenance, 0));
    figure.warnings = result.warnings;
    figure.provenance = result.provenance;
    figure.sharedX = true;
    for (const TensorByLayer& tensor : tensorsOf(result))
        if (tensor.any()) figure.panels.push_back(magnitudePanel(tensor, result));
    if (figure.panels.empty()) figure.panels.push_back(emptyPanel("no layer has magnitudes to show"));
    figure.heightMm = 15.0 + 30.0 * static_cast<double>(figure.panels.size());
    return figure;
}

}  // namespace dimscope::analysis
