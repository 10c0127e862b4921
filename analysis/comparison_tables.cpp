// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "analysis/kernel_comparison.h"
#include "analysis/table_rows.h"

namespace dimscope::analysis {
namespace {

Cell cellOf(const std::optional<double>& value) { return value ? Cell(*value) : Cell(std::monostate{}); }

}  // namespace

Table comparisonTable(const ComparisonResult& result) {
    Table table{.name = "kernel-errors",
                .caption = "Error of each kernel against exact attention at sampled query rows, per head",
                .columns = {},
                .warnings = result.warnings,
                .provenance = result.provenance};
    table.columns = {{"layer", "Layer", "", {}, {}},      {"head", "Head", "", {}, {}},
                     {"kernel", "Kernel", "", {}, {}},    {"mse", "MSE", "", {}, {}},
                     {"rel_mse", "RelMSE", "", {}, {}},   {"draws", "Draws", "", {}, {}},
                     {"bad_rows", "Bad rows", "", {}, {}}};
    for (const KernelError& e : result.heads)
        appendRow(table, {std::int64_t{e.layer.value}, std::int64_t{e.head.value}, e.kernel, e.mse, e.relMse,
                          static_cast<std::int64_t>(e.seedMse.size()), std::int64_t{e.badRows}});
    if (std::any_of(result.heads.begin(), result.heads.end(),
                    [](const KernelError& e) { return e.gate.has_value(); })) {
        table.columns.push_back({"gate", "Gate", "", {}, {}});
        for (const KernelError& e : result.heads) table.columns.back().cells.push_back(cellOf(e.gate));
    }
    return table;
}

Table pooledTable(const ComparisonResult& result) {
    Table table{
        .name = "kernel-errors-pooled",
        .caption =
            "Error of each kernel against exact attention, pooled over heads, before and after the output projection",
        .columns = {},
        .warnings = result.warnings,
        .provenance = result.provenance};
    table.columns = {{"layer", "Layer", "", {}, {}},
                     {"kernel", "Kernel", "", {}, {}},
                     {"mse", "MSE", "", {}, {}},
                     {"rel_mse", "RelMSE", "", {}, {}},
                     {"mse_after_wo", "MSE after W_o", "", {}, {}},
                     {"rel_mse_after_wo", "RelMSE after W_o", "", {}, {}}};
    for (const PooledError& e : result.pooled)
        appendRow(table, {e.layer ? Cell(std::to_string(e.layer->value)) : Cell(std::string("all")), e.kernel, e.mse,
                          e.relMse, cellOf(e.mseAfterWo), cellOf(e.relMseAfterWo)});
    return table;
}

}  // namespace dimscope::analysis
