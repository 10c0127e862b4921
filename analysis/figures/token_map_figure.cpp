// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/figures/figure_parts.h"
#include "analysis/figures/profile_figures.h"

namespace dimscope::analysis {
namespace {

constexpr Index kMostRows = 1000;

Index tokensPerRow(Index tokens) { return std::max<Index>(1, (tokens + kMostRows - 1) / kMostRows); }

// (ceil(tokens / perRow), head_dim): largest |x| of each run of tokens; NaN where the run holds no finite value.
std::shared_ptr<const kernels::Matrix<float>> largestMagnitudes(const kernels::TensorView& tensor, Index perRow) {
    const Index rows = (kernels::rowsOf(tensor) + perRow - 1) / perRow;
    const Index cols = kernels::colsOf(tensor);
    auto map = std::make_shared<kernels::Matrix<float>>(rows, cols);
    std::fill(map->values().begin(), map->values().end(), std::numeric_limits<float>::quiet_NaN());
    std::visit(
        [&](const auto& view) {
            for (Index i = 0; i < view.rows(); ++i)
                for (Index r = 0; r < cols; ++r) {
                    const auto magnitude = static_cast<float>(std::abs(view(i, r)));
                    float& cell = (*map)(i / perRow, r);
                    if (std::isfinite(magnitude) && !(cell >= magnitude)) cell = magnitude;
                }
        },
        tensor);
    return map;
}

double largest(const kernels::Matrix<float>& map) {
    float most = 0.0F;
    for (float value : map.values())
        if (value > most) most = value;
    return most > 0.0F ? static_cast<double>(most) : 1.0;
}

Panel mapPanel(const kernels::TensorView& tensor, Index perRow, const std::string& symbol) {
    HeatMap map;
    map.values = largestMagnitudes(tensor, perRow);
    map.scale = ColourScale::SquareRoot;  // one massive token must not hide the rest
    map.to = largest(*map.values);
    map.barTitle = fmt::format("|<i>{}</i>|", symbol);
    const Index rows = map.values->rows();
    Panel panel;
    panel.x.title = "head dimension <i>r</i>";
    panel.x.to = static_cast<double>(std::max<Index>(map.values->cols(), 1));
    panel.y.title = fmt::format("token, |<i>{}</i>|", symbol);
    panel.y.to = static_cast<double>(std::max<Index>(rows, 1));
    panel.x.grid = panel.y.grid = false;
    for (int r : countTicks(static_cast<int>(map.values->cols()))) {
        panel.x.ticks.push_back(r + 0.5);
        panel.x.tickLabels.push_back(std::to_string(r));
    }
    for (double token : niceTicks(0.0, static_cast<double>(kernels::rowsOf(tensor) - 1))) {
        if (token != std::floor(token)) continue;
        panel.y.ticks.push_back(std::floor(token / static_cast<double>(perRow)) + 0.5);
        panel.y.tickLabels.push_back(fmt::format("{:.0f}", token));
    }
    for (Index row = 0; row < rows; ++row) {
        const Index last = std::min((row + 1) * perRow, kernels::rowsOf(tensor)) - 1;
        map.rowNames.push_back(last == row * perRow ? fmt::format("token {}", last)
                                                    : fmt::format("tokens {} to {}", row * perRow, last));
    }
    for (Index r = 0; r < map.values->cols(); ++r) map.columnNames.push_back(fmt::format("dim {}", r));
    panel.marks.push_back(std::move(map));
    return panel;
}

}  // namespace

Figure tokenMapFigure(const HeadProfile& head, PromptIndex prompt, const kernels::TensorView& query,
                      const kernels::TensorView& key, const Provenance& provenance) {
    const Index tokens = std::max(kernels::rowsOf(query), kernels::rowsOf(key));
    const Index perRow = tokensPerRow(tokens);
    Figure figure;
    figure.name = headStem("tokens", head.layer, head.head) + fmt::format("-P{}", prompt.value);
    figure.title = "Magnitude per token";
    figure.caption = "|q| above, |k| below";
    if (perRow > 1) figure.caption += fmt::format("; largest of {} tokens a row", perRow);
    figure.caption += fmt::format(" · {} · N {} · prompt {}", placeText(head.layer, head.head), tokens, prompt.value);
    figure.heightMm = 100.0;
    figure.sharedX = true;
    figure.provenance = provenance;
    if (tokens == 0)
        figure.panels.push_back(emptyPanel("the prompt has no tokens"));
    else
        figure.panels = {mapPanel(query, perRow, "q"), mapPanel(key, perRow, "k")};
    return figure;
}

}  // namespace dimscope::analysis
