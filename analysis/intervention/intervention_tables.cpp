// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include "analysis/intervention/intervention.h"
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

}  // namespace dimscope::analysis
