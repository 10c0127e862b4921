// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/intervention/retained_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/statistics.h"
#include "analysis/table_rows.h"

namespace dimscope::analysis {
namespace {

void addCells(const RetainedRatio& ratio, std::vector<double>& ratios) {
    for (const RetainedCell& cell : ratio.cells)
        if (std::isfinite(cell.ratio())) ratios.push_back(cell.ratio());
}

double standardError(const std::vector<double>& values) {
    return standardDeviationOf(values) / std::sqrt(static_cast<double>(values.size()));
}

void addGaussian(const InterventionResult& result, std::size_t kernel, RetainedRow& row) {
    for (const ControlOutcome& control : result.controls) {
        if (control.rung != ControlRung::Gaussian) continue;
        std::vector<double> ratios, cells;
        for (const ControlDraw& draw : control.draws) {
            ratios.push_back(draw.own[kernel].retained.ratio);
            addCells(draw.own[kernel].retained, cells);
        }
        row.gaussian = meanOf(ratios);
        row.gaussianError = standardError(cells);
    }
}

void addSubsets(const SubsetControl& control, RetainedRow& row) {
    row.subsets = control.ratios.size();
    row.wanted = control.wanted;
    row.p = control.p;
    row.atLeast = control.atLeast;
    if (control.quantiles.size() < 5) return;
    row.from = control.quantiles[0];
    row.median = control.quantiles[2];
    row.to = control.quantiles[4];
    for (const double ratio : control.ratios)
        if (std::isfinite(ratio) && !(row.largest >= ratio)) row.largest = ratio;
}

}  // namespace

double standardErrorOf(const RetainedRatio& ratio) {
    std::vector<double> ratios;
    addCells(ratio, ratios);
    return standardError(ratios);
}

std::vector<RetainedRow> retainedRows(const InterventionResult& result) {
    std::vector<RetainedRow> rows;
    for (std::size_t k = 0; k < result.methods.size(); ++k) {
        const RetainedMethod& method = result.methods[k];
        RetainedRow row{.kernel = method.kernel, .ratio = method.retained.ratio};
        row.error = standardErrorOf(method.retained);
        row.complement = method.retained.ratioComplement;
        addGaussian(result, k, row);
        if (k < result.subsetControls.size()) addSubsets(result.subsetControls[k], row);
        rows.push_back(std::move(row));
    }
    return rows;
}

Table retainedErrorTable(const InterventionResult& result) {
    const std::size_t cells = result.methods.empty() ? 0 : result.methods.front().retained.cells.size();
    Table table{.name = "retained-error",
                .caption = fmt::format("R_S of each kernel with its standard error over {} cells of a layer and "
                                       "sequence, of Gaussian queries and keys, and of random subsets",
                                       cells),
                .columns = {},
                .warnings = result.warnings,
                .provenance = result.provenance};
    table.columns = {plainColumn("kernel", "Kernel"),
                     percentColumn("ratio", "R_S"),
                     percentColumn("error", "s.e."),
                     percentColumn("gaussian", "Gaussian R_S"),
                     percentColumn("gaussian_error", "Gaussian s.e."),
                     percentColumn("from", "Random 2.5 %"),
                     percentColumn("median", "Random median"),
                     percentColumn("to", "Random 97.5 %"),
                     percentColumn("largest", "Random largest"),
                     plainColumn("p", "p at most"),
                     plainColumn("subsets", "Subsets"),
                     plainColumn("wanted", "of")};
    for (const RetainedRow& row : retainedRows(result)) {
        const auto control = [](double value, bool there) { return there ? Cell(value) : Cell(); };
        const bool gaussian = !result.controls.empty(), subsets = row.wanted > 0;
        appendRow(table,
                  {row.kernel, row.ratio, row.error, control(row.gaussian, gaussian),
                   control(row.gaussianError, gaussian), control(row.from, subsets), control(row.median, subsets),
                   control(row.to, subsets), control(row.largest, subsets), control(row.p, subsets),
                   static_cast<std::int64_t>(row.subsets), static_cast<std::int64_t>(row.wanted)});
    }
    return table;
}

}  // namespace dimscope::analysis
