// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>

#include "analysis/intervention/intervention.h"
#include "analysis/statistics.h"
#include "analysis/table_rows.h"

namespace dimscope::analysis {
namespace {

void addRatio(Table& table, const std::string& kernel, const std::string& what, Index selected,
              const RetainedRatio& r) {
    appendRow(table, {kernel, what, std::int64_t{selected}, r.eS, r.eComplement, r.eFull, r.ratio, r.ratioComplement,
                      1.0 - r.ratio - r.ratioComplement, r.ratioPooled, r.ratioGeometric, r.ratioHeadMedian});
}

}  // namespace

Table interventionTable(const InterventionResult& result) {
    Table table{
        .name = "intervention",
        .caption = fmt::format("Share of each kernel's error that stays when {} of {} dimensions are approximated "
                               "({}), their complement, and under controls",
                               result.selected, result.dimensions, result.origin),
        .columns = {},
        .warnings = result.warnings,
        .provenance = result.provenance};
    table.columns = {plainColumn("kernel", "Kernel"),
                     plainColumn("data", "Queries and keys"),
                     plainColumn("selected", "|S|"),
                     plainColumn("e_s", "E_S"),
                     plainColumn("e_complement", "E of the complement"),
                     plainColumn("e_full", "E_full"),
                     percentColumn("ratio", "R_S"),
                     percentColumn("ratio_complement", "R of the complement"),
                     percentColumn("remainder", "1 − both"),
                     percentColumn("ratio_pooled", "pooled"),
                     percentColumn("ratio_geometric", "geometric"),
                     percentColumn("ratio_head_median", "head median")};
    for (std::size_t k = 0; k < result.methods.size(); ++k) {
        const std::string& kernel = result.methods[k].kernel;
        addRatio(table, kernel, "pretrained", result.selected, result.methods[k].retained);
        for (const ControlOutcome& control : result.controls)
            for (std::size_t d = 0; d < control.draws.size(); ++d) {
                const ControlDraw& draw = control.draws[d];
                const std::string name = fmt::format("{} {}", rungName(control.rung), d);
                addRatio(table, kernel, name, draw.selected, draw.own[k].retained);
                addRatio(table, kernel, name + ", same size", result.selected, draw.sameSize[k].retained);
            }
    }
    return table;
}

Table interventionCellsTable(const InterventionResult& result) {
    Table table{.name = "intervention-cells",
                .caption = "Errors with S, its complement and all dimensions approximated, per layer and sequence",
                .columns = {},
                .warnings = result.warnings,
                .provenance = result.provenance};
    table.columns = {plainColumn("kernel", "Kernel"),
                     plainColumn("layer", "Layer"),
                     plainColumn("prompt", "Prompt"),
                     plainColumn("e_s", "E_S"),
                     plainColumn("e_complement", "E of the complement"),
                     plainColumn("e_full", "E_full"),
                     percentColumn("ratio", "R_S"),
                     plainColumn("energy", "Output energy"),
                     plainColumn("bad_rows", "Bad rows")};
    for (const RetainedMethod& method : result.methods)
        for (const RetainedCell& cell : method.retained.cells)
            appendRow(table, {method.kernel, std::int64_t{cell.layer.value}, std::int64_t{cell.prompt.value}, cell.eS,
                              cell.eComplement, cell.eFull, cell.ratio(), cell.energy, std::int64_t{cell.badRows}});
    return table;
}

Table interventionHeadsTable(const InterventionResult& result) {
    Table table{.name = "intervention-heads",
                .caption = "Errors of every head with S and with all dimensions approximated",
                .columns = {},
                .warnings = result.warnings,
                .provenance = result.provenance};
    if (!result.ranks.empty())
        table.caption +=
            ", and the rank of S among subsets of as many dimensions of the head; q: Benjamini-Hochberg over heads";
    table.columns = {plainColumn("kernel", "Kernel"),
                     plainColumn("layer", "Layer"),
                     plainColumn("head", "Head"),
                     plainColumn("selected", "S"),
                     plainColumn("e_s", "E_S"),
                     plainColumn("e_complement", "E of the complement"),
                     plainColumn("e_full", "E_full"),
                     percentColumn("ratio", "R_S"),
                     plainColumn("rank", "Rank"),
                     plainColumn("rank_of", "of"),
                     plainColumn("exact", "All subsets"),
                     plainColumn("p", "p"),
                     plainColumn("q", "q")};
    for (std::size_t n = 0; n < result.heads.size(); ++n) {
        const RetainedHead& head = result.heads[n];
        const auto found = result.subsets.find({head.layer, head.head});
        std::vector<std::int64_t> selected;
        if (found != result.subsets.end()) selected.assign(found->second.begin(), found->second.end());
        std::vector<Cell> row{head.kernel,
                              std::int64_t{head.layer.value},
                              std::int64_t{head.head.value},
                              selected,
                              head.eS,
                              head.eComplement,
                              head.eFull,
                              head.ratio()};
        if (n < result.ranks.size() && result.ranks[n].rank > 0) {
            const HeadRank& rank = result.ranks[n];
            for (const Cell& cell :
                 std::vector<Cell>{static_cast<std::int64_t>(rank.rank), static_cast<std::int64_t>(rank.of),
                                   std::string(rank.exact ? "yes" : "no"), rank.p, rank.q})
                row.push_back(cell);
        } else {
            row.resize(table.columns.size());
        }
        appendRow(table, row);
    }
    return table;
}

Table subsetControlTable(const InterventionResult& result) {
    Table table{.name = "intervention-subsets",
                .caption =
                    "R_S against random subsets of as many dimensions in every head; p at most, over "
                    "kernels corrected by the largest z",
                .columns = {},
                .warnings = result.warnings,
                .provenance = result.provenance};
    table.columns = {plainColumn("kernel", "Kernel"),
                     percentColumn("ratio", "R_S"),
                     plainColumn("replicates", "Subsets"),
                     percentColumn("mean", "Mean R_b"),
                     percentColumn("from", "2.5 %"),
                     percentColumn("median", "Median R_b"),
                     percentColumn("to", "97.5 %"),
                     percentColumn("largest", "Largest R_b"),
                     plainColumn("at_least", "R_b ≥ R_S"),
                     plainColumn("p", "p"),
                     plainColumn("p_max_t", "p over kernels"),
                     plainColumn("z", "z"),
                     plainColumn("effect", "R_S / mean R_b")};
    for (std::size_t k = 0; k < result.subsetControls.size(); ++k) {
        const SubsetControl& control = result.subsetControls[k];
        const double largest =
            control.ratios.empty() ? kNaN : *std::max_element(control.ratios.begin(), control.ratios.end());
        appendRow(table,
                  {control.kernel, result.methods[k].retained.ratio, static_cast<std::int64_t>(control.ratios.size()),
                   meanOf(control.ratios), control.quantiles[0], control.quantiles[2], control.quantiles[4], largest,
                   static_cast<std::int64_t>(control.atLeast), control.p, control.pMaxT, control.z, control.effect});
    }
    return table;
}

Table doseTable(const InterventionResult& result) {
    Table table{.name = "intervention-dose",
                .caption =
                    "R with the first n dimensions of every head approximated, in order of contribution and in "
                    "random order (mean and 95 % of the orders)",
                .columns = {},
                .warnings = result.warnings,
                .provenance = result.provenance};
    table.columns = {plainColumn("kernel", "Kernel"),
                     plainColumn("order", "Order"),
                     plainColumn("dimensions", "Dimensions"),
                     percentColumn("chi_share", "Share of χ"),
                     percentColumn("variance_share", "Share of logit variance"),
                     percentColumn("ratio", "R"),
                     percentColumn("from", "2.5 %"),
                     percentColumn("to", "97.5 %")};
    for (const DosePoint& point : result.dose) {
        const auto band = [&](double value) { return point.random ? Cell(value) : Cell(); };
        appendRow(table,
                  {point.kernel, std::string(point.random ? "random" : "contribution"), std::int64_t{point.dimensions},
                   point.chiShare, point.varianceShare, point.ratio, band(point.from), band(point.to)});
    }
    return table;
}

Table sweepTable(const InterventionResult& result) {
    Table table{
        .name = "intervention-sweep",
        .caption = fmt::format("R_S and |S| of {} dimensions over the settings of the grouping", result.dimensions),
        .columns = {},
        .warnings = result.warnings,
        .provenance = result.provenance};
    table.columns = {plainColumn("alpha", "α"),         plainColumn("tau", "τ"),
                     plainColumn("gamma", "γ"),         plainColumn("support", "Support"),
                     plainColumn("setting", "Setting"), plainColumn("kernel", "Kernel"),
                     plainColumn("selected", "|S|"),    percentColumn("fraction", "of all"),
                     percentColumn("ratio", "R_S")};
    for (const SweepPoint& point : result.sweep)
        appendRow(table,
                  {point.alpha, point.tau, point.gamma, std::string(supportRuleName(point.support)), point.setting,
                   point.kernel, point.selected, point.selected / static_cast<double>(result.dimensions), point.ratio});
    return table;
}

}  // namespace dimscope::analysis
