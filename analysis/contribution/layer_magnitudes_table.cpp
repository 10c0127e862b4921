// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include "analysis/contribution/layer_magnitudes.h"
#include "analysis/table_rows.h"

namespace dimscope::analysis {
namespace {

void addTensor(Table& table, LayerIndex layer, const char* tensor, const MagnitudeSummary& summary) {
    std::vector<Cell> row{std::int64_t{layer.value}, std::string(tensor)};
    std::string places;
    for (std::size_t n = 0; n < 3; ++n) row.emplace_back(n < summary.top.size() ? summary.top[n].value : kNaN);
    for (const LargeDimension& large : summary.top)
        places += (places.empty() ? "" : ", ") + (large.head < 0 ? fmt::format("{}", large.dimension)
                                                                 : fmt::format("{}:{}", large.head, large.dimension));
    const double ratio = summary.median > 0.0 ? summary.top.front().value / summary.median : kNaN;
    row.insert(row.end(), {summary.median, ratio, places});
    appendRow(table, row);
}

}  // namespace

Table layerMagnitudesTable(const LayerMagnitudesResult& result) {
    Table table{
        .name = "layer-magnitudes",
        .caption = fmt::format("Three largest and median of the mean magnitudes over dimensions by layer, {} "
                               "{}; y W_o at {} rows each",
                               result.prompts.size(), result.prompts.size() == 1 ? "prompt" : "prompts", result.rows),
        .columns = {},
        .warnings = result.warnings,
        .provenance = result.provenance};
    table.columns = {plainColumn("layer", "Layer"),
                     plainColumn("tensor", "Tensor"),
                     plainColumn("top1", "Largest"),
                     plainColumn("top2", "second"),
                     plainColumn("top3", "third"),
                     plainColumn("median", "Median"),
                     plainColumn("ratio", "Largest / median"),
                     plainColumn("dimensions", "Their dimensions")};
    for (const LayerMagnitudes& layer : result.layers) {
        addTensor(table, layer.layer, "|q|", layer.query);
        addTensor(table, layer.layer, "|k|", layer.key);
        if (layer.value) addTensor(table, layer.layer, "|v|", *layer.value);
        if (layer.output) addTensor(table, layer.layer, "|y W_o|", *layer.output);
        if (layer.hidden) addTensor(table, layer.layer, layer.hiddenIsMaximum ? "max |h|" : "|h|", *layer.hidden);
    }
    return table;
}

}  // namespace dimscope::analysis
