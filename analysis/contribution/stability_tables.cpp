// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include "analysis/contribution/stability.h"
#include "analysis/table_rows.h"

namespace dimscope::analysis {
namespace {

Table emptyStabilityTable(const StabilityResult& result, const char* name, const std::string& what) {
    return {.name = name,
            .caption = fmt::format("{}, N {}, {} {}", what, result.lengths.back(), result.prompts.size(),
                                   result.prompts.size() == 1 ? "prompt" : "prompts"),
            .columns = {},
            .warnings = result.warnings,
            .provenance = result.provenance};
}

Cell lowerCell(const std::optional<std::pair<double, double>>& interval) {
    return interval ? Cell(interval->first) : Cell(std::monostate{});
}
Cell upperCell(const std::optional<std::pair<double, double>>& interval) {
    return interval ? Cell(interval->second) : Cell(std::monostate{});
}

std::string partsText(const StabilityResult& result) {
    return result.parts.empty() ? "one prompt alone" : "prompts in two parts (" + result.parts + ")";
}

}  // namespace

Table stabilityTable(const StabilityResult& result) {
    Table table = emptyStabilityTable(
        result, "stability",
        fmt::format("Agreement of χ between {} and share of the {} strongest dimensions by prefix length, means over "
                    "the heads of a layer",
                    partsText(result), result.top));
    table.columns = {plainColumn("layer", "Layer"),
                     plainColumn("heads", "Heads"),
                     plainColumn("rho", "Spearman's ρ"),
                     plainColumn("rho_from", "95 % from"),
                     plainColumn("rho_to", "to"),
                     percentColumn("top_overlap", "Strongest in common"),
                     percentColumn("top_overlap_from", "95 % from"),
                     percentColumn("top_overlap_to", "to")};
    for (const Index length : result.lengths) {
        table.columns.push_back(
            {fmt::format("fixed_{}", length), fmt::format("Share at {}", length), "", NumberStyle::Percent, {}});
        table.columns.push_back({fmt::format("reselected_{}", length), "selected there", "", NumberStyle::Percent, {}});
    }
    for (const LayerStability& layer : result.layers) {
        std::vector<Cell> row{std::int64_t{layer.layer.value},     std::int64_t{layer.usableHeads},    layer.rho,
                              lowerCell(layer.rhoInterval),        upperCell(layer.rhoInterval),       layer.topOverlap,
                              lowerCell(layer.topOverlapInterval), upperCell(layer.topOverlapInterval)};
        for (std::size_t l = 0; l < result.lengths.size(); ++l)
            row.insert(row.end(), {layer.fixedShare[l], layer.reselectedShare[l]});
        appendRow(table, row);
    }
    return table;
}

Table headStabilityTable(const StabilityResult& result) {
    Table table = emptyStabilityTable(
        result, "stability-heads",
        fmt::format("Agreement of χ between {} and over bootstrap replicates, per head", partsText(result)));
    table.columns = {plainColumn("layer", "Layer"),
                     plainColumn("head", "Head"),
                     plainColumn("rho", "Spearman's ρ"),
                     percentColumn("top_overlap", "Strongest in common"),
                     percentColumn("set_frequency", "Replicates with the same set"),
                     percentColumn("shortest_share", "Share at the shortest prefix"),
                     percentColumn("full_share", "Share at full length"),
                     plainColumn("top", "Strongest dimensions")};
    for (const HeadStability& head : result.heads)
        appendRow(table, {std::int64_t{head.layer.value}, std::int64_t{head.head.value}, head.rho, head.topOverlap,
                          head.setFrequency, head.fixedShare.front(), head.fixedShare.back(),
                          std::vector<std::int64_t>(head.top.begin(), head.top.end())});
    return table;
}

Table prefixShareTable(const StabilityResult& result) {
    Table table = emptyStabilityTable(
        result, "prefix-shares", "Share of χ of the dimensions that are strongest at full length, by prefix length");
    table.columns = {plainColumn("layer", "Layer"),
                     plainColumn("head", "Head"),
                     plainColumn("dim", "Dimension"),
                     plainColumn("rank", "Rank"),
                     plainColumn("length", "Positions"),
                     percentColumn("share", "Share of χ"),
                     percentColumn("frequency", "Replicates among the strongest")};
    for (const HeadStability& head : result.heads)
        for (std::size_t t = 0; t < head.top.size(); ++t)
            for (std::size_t l = 0; l < result.lengths.size(); ++l)
                appendRow(table, {std::int64_t{head.layer.value}, std::int64_t{head.head.value},
                                  std::int64_t{head.top[t]}, static_cast<std::int64_t>(t + 1), result.lengths[l],
                                  head.topShares(static_cast<Index>(l), static_cast<Index>(t)),
                                  head.topFrequency[static_cast<std::size_t>(head.top[t])]});
    return table;
}

Table promptAgreementTable(const StabilityResult& result) {
    Table table = emptyStabilityTable(
        result, "prompt-agreement", "χ of each prompt against the mean of all others, means over the heads of a layer");
    table.columns = {plainColumn("layer", "Layer"), plainColumn("prompt", "Prompt"), plainColumn("rho", "Spearman's ρ"),
                     percentColumn("top_overlap", "Strongest in common")};
    for (const LayerStability& layer : result.layers)
        for (const PromptAgreement& prompt : layer.prompts)
            appendRow(table, {std::int64_t{layer.layer.value}, std::int64_t{prompt.prompt.value}, prompt.rho,
                              prompt.topOverlap});
    return table;
}

}  // namespace dimscope::analysis
