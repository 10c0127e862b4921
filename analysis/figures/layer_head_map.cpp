// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/figures/layer_head_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "analysis/figures/figure_parts.h"

namespace dimscope::analysis {

Panel layerHeadPanel(const LayerHeadValues& values, HeatMap look) {
    std::vector<LayerIndex> layers;
    int heads = 0;
    for (const auto& [place, value] : values) {
        if (layers.empty() || layers.back() != place.first) layers.push_back(place.first);
        heads = std::max(heads, place.second.value + 1);
    }
    auto matrix = std::make_shared<kernels::Matrix<float>>(static_cast<Index>(layers.size()), heads);
    std::fill(matrix->values().begin(), matrix->values().end(), std::numeric_limits<float>::quiet_NaN());
    for (const auto& [place, value] : values) {
        const auto row = std::find(layers.begin(), layers.end(), place.first) - layers.begin();
        (*matrix)(row, place.second.value) = static_cast<float>(value);
    }
    Panel panel;
    panel.x.title = "head";
    panel.x.to = static_cast<double>(heads);
    panel.y.title = "layer";
    panel.y.to = static_cast<double>(layers.size());
    panel.x.grid = panel.y.grid = false;
    for (const int head : countTicks(heads, 16)) {
        panel.x.ticks.push_back(head + 0.5);
        panel.x.tickLabels.push_back(std::to_string(head));
    }
    for (const int row : countTicks(static_cast<int>(layers.size()), 12)) {
        panel.y.ticks.push_back(row + 0.5);
        panel.y.tickLabels.push_back(fmt::format("L{}", layers[static_cast<std::size_t>(row)].value));
    }
    for (const LayerIndex layer : layers) look.rowNames.push_back(fmt::format("layer {}", layer.value));
    for (int head = 0; head < heads; ++head) look.columnNames.push_back(fmt::format("head {}", head));
    look.values = std::move(matrix);
    panel.marks.push_back(std::move(look));
    return panel;
}

}  // namespace dimscope::analysis
