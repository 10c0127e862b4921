// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <cmath>

#include "analysis/budget/budget.h"
#include "analysis/statistics.h"
#include "analysis/table_rows.h"

namespace dimscope::analysis {
namespace {

Cell drawCell(int draw) { return draw < 0 ? Cell(std::monostate{}) : Cell(std::int64_t{draw}); }

Cell cutsCell(const std::vector<int>& cuts) { return std::vector<std::int64_t>(cuts.begin(), cuts.end()); }

}  // namespace

std::vector<BudgetSummaryRow> budgetSummaryRows(const BudgetResult& result) {
    std::vector<BudgetSummaryRow> rows;
    for (std::size_t n = 0; n < result.points.size();) {
        const BudgetPoint& first = result.points[n];
        std::vector<double> mse, relMse;
        // Draws of one kind stand behind each other, the first with ordinal 0.
        do {
            mse.push_back(result.points[n].mse);
            if (std::isfinite(result.points[n].relMse)) relMse.push_back(result.points[n].relMse);
            ++n;
        } while (n < result.points.size() && result.points[n].draw > 0);
        BudgetSummaryRow row{first.groups,  first.parameters, first.order,
                             first.cutRule, medianOf(mse),    medianOf(relMse)};
        row.front = first.front;
        if (first.draw >= 0) {
            row.draws = mse.size();
            row.least = quantileOf(relMse, 0.0);
            row.most = quantileOf(relMse, 1.0);
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

Table budgetTable(const BudgetResult& result) {
    Table table{.name = "budget",
                .caption = fmt::format("Error of fitted quadratic kernels against groups and parameters, pooled over "
                                       "heads and all judged rows, {} prompt{}",
                                       result.prompts.size(), result.prompts.size() == 1 ? "" : "s"),
                .columns = {},
                .warnings = result.warnings,
                .provenance = result.provenance};
    table.columns = {plainColumn("groups", "Groups"),
                     plainColumn("parameters", "Parameters"),
                     plainColumn("order", "Order"),
                     plainColumn("cut_rule", "Cuts"),
                     plainColumn("draw", "Draw"),
                     plainColumn("mse", "MSE"),
                     percentColumn("rel_mse", "RelMSE"),
                     plainColumn("train_mse", "Training MSE"),
                     plainColumn("validation_mse", "Validation MSE"),
                     plainColumn("fit", "Fit"),
                     plainColumn("front", "Pareto front")};
    for (const BudgetPoint& p : result.points)
        appendRow(table, {p.groups, p.parameters, p.order, p.cutRule, drawCell(p.draw), p.mse, p.relMse, p.trainMse,
                          p.validationMse, p.fit, std::string(p.front ? "yes" : "")});
    return table;
}

Table budgetHeadTable(const BudgetResult& result) {
    Table table{.name = "budget-heads",
                .caption = "Error of fitted quadratic kernels against groups and parameters, by head",
                .columns = {},
                .warnings = result.warnings,
                .provenance = result.provenance};
    table.columns = {plainColumn("layer", "Layer"),   plainColumn("head", "Head"),
                     plainColumn("groups", "Groups"), plainColumn("parameters", "Parameters"),
                     plainColumn("order", "Order"),   plainColumn("cut_rule", "Cuts"),
                     plainColumn("draw", "Draw"),     plainColumn("cuts", "Left ranks of cuts"),
                     plainColumn("mse", "MSE"),       percentColumn("rel_mse", "RelMSE")};
    for (const BudgetHead& h : result.heads)
        appendRow(table, {std::int64_t{h.layer.value}, std::int64_t{h.head.value}, std::int64_t{h.partition.groups()},
                          std::int64_t{h.partition.parameters()}, h.partition.order, h.partition.cutRule,
                          drawCell(h.partition.draw), cutsCell(h.partition.cuts), h.mse, h.relMse});
    return table;
}

}  // namespace dimscope::analysis
