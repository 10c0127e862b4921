// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>

#include "analysis/fidelity/fidelity.h"
#include "analysis/table_rows.h"
#include "kernels/kernel_catalog.h"

namespace dimscope::analysis {
namespace {

Cell relOf(const std::optional<MeanError>& error) { return error ? Cell(error->relMse) : Cell(std::monostate{}); }
Cell mseOf(const std::optional<MeanError>& error) { return error ? Cell(error->mse) : Cell(std::monostate{}); }
Cell calibratedCell(const FidelityMethod& method) { return std::string(method.calibrated ? "yes" : "no"); }

Table fidelityFrame(const FidelityResult& result, const char* name, const std::string& what) {
    return {
        .name = name,
        .caption = fmt::format("{}, {} prompt{}", what, result.prompts.size(), result.prompts.size() == 1 ? "" : "s"),
        .columns = {},
        .warnings = result.warnings,
        .provenance = result.provenance};
}

std::vector<Cell> pooledCells(const std::optional<PooledFidelity>& pooled) {
    if (!pooled) return std::vector<Cell>(6);
    return {pooled->error.mse,     pooled->error.relMse, pooled->sequenceError,
            pooled->headQuartile1, pooled->headMedian,   pooled->headQuartile3};
}

void appendCells(std::vector<Cell>& row, std::vector<Cell> more) {
    std::move(more.begin(), more.end(), std::back_inserter(row));
}

}  // namespace

std::string methodTitle(const FidelityMethod& method) {
    const kernels::KernelDescriptor* kernel = kernels::findKernel(method.kernel);
    return (kernel ? kernel->title : method.kernel) + (method.calibrated ? ", calibrated" : "");
}

std::string sequencesText(const MethodFidelity& method, bool after) {
    if (after && !method.after) return "";
    const PooledFidelity& pooled = after ? *method.after : method.before;
    const auto text = [](double share) { return displayText(share, NumberStyle::Percent); };
    if (pooled.interval) return text(pooled.interval->first) + " to " + text(pooled.interval->second);
    std::string all;
    for (const PromptFidelity& prompt : method.prompts)
        all += (all.empty() ? "" : ", ") + text(after ? prompt.relMseAfter.value_or(kNaN) : prompt.relMse);
    return all;
}

Table fidelityTable(const FidelityResult& result) {
    Table table = fidelityFrame(result, "fidelity",
                                "Kernels in place of exact attention, before and after the output projection, pooled "
                                "over layers, heads and rows");
    table.columns = {plainColumn("kernel", "Kernel"),
                     plainColumn("calibrated", "Calibrated"),
                     plainColumn("path", "Path"),
                     plainColumn("mse", "MSE"),
                     percentColumn("rel_mse", "RelMSE"),
                     percentColumn("standard_error", "Standard error"),
                     percentColumn("quartile1", "First quartile of heads"),
                     percentColumn("median", "Median"),
                     percentColumn("quartile3", "Third quartile"),
                     plainColumn("mse_after", "MSE after W_o"),
                     percentColumn("rel_mse_after", "RelMSE after W_o"),
                     percentColumn("standard_error_after", "Standard error"),
                     percentColumn("quartile1_after", "First quartile of heads"),
                     percentColumn("median_after", "Median"),
                     percentColumn("quartile3_after", "Third quartile"),
                     plainColumn("worse_than_zero", "Worse than zero"),
                     plainColumn("kl", "KL of weights"),
                     percentColumn("kl_undefined", "Rows without KL"),
                     percentColumn("total_variation", "Total variation"),
                     percentColumn("top1", "Same top key"),
                     plainColumn("sequences", "By sequence or 95 % of them"),
                     plainColumn("sequences_after", "after W_o"),
                     plainColumn("bad_rows", "Bad rows")};
    for (const MethodFidelity& m : result.methods) {
        std::vector<Cell> row{m.method.kernel, calibratedCell(m.method), m.method.path};
        appendCells(row, pooledCells(m.before));
        appendCells(row, pooledCells(m.after));
        row.push_back(m.worseThanZero ? Cell(std::string(*m.worseThanZero ? "yes" : "no")) : Cell(std::monostate{}));
        appendCells(row,
                    {m.weights.divergence, m.weights.undefinedShare, m.weights.totalVariation, m.weights.topAgreement,
                     sequencesText(m, false), sequencesText(m, true), std::int64_t{m.badRows}});
        appendRow(table, row);
    }
    // The sampling error has a column where rows were drawn.
    if (std::any_of(result.methods.begin(), result.methods.end(),
                    [](const MethodFidelity& m) { return m.before.rowError >= 0.0; })) {
        Column before = percentColumn("sampling_error", "Sampling error of rows");
        Column after = percentColumn("sampling_error_after", "after W_o");
        for (const MethodFidelity& m : result.methods) {
            before.cells.emplace_back(m.before.rowError);
            after.cells.push_back(m.after ? Cell(m.after->rowError) : Cell(std::monostate{}));
        }
        table.columns.push_back(std::move(before));
        table.columns.push_back(std::move(after));
    }
    return table;
}

Table fidelityLayerTable(const FidelityResult& result) {
    Table table = fidelityFrame(result, "fidelity-layers",
                                "Kernels in place of exact attention by layer; cross: squared error after W_o with all "
                                "heads replaced less the sum of those with one");
    table.columns = {plainColumn("layer", "Layer"),
                     plainColumn("kernel", "Kernel"),
                     plainColumn("calibrated", "Calibrated"),
                     plainColumn("mse", "MSE"),
                     percentColumn("rel_mse", "RelMSE"),
                     plainColumn("mse_after", "MSE after W_o"),
                     percentColumn("rel_mse_after", "RelMSE after W_o"),
                     plainColumn("singles", "Sum of single heads"),
                     plainColumn("cross", "Cross terms")};
    for (const LayerFidelity& l : result.layers)
        appendRow(table, {std::int64_t{l.layer.value}, l.method.kernel, calibratedCell(l.method), l.before.mse,
                          l.before.relMse, mseOf(l.after), relOf(l.after), l.singles, l.cross});
    return table;
}

Table fidelityHeadTable(const FidelityResult& result) {
    Table table = fidelityFrame(result, "fidelity-heads",
                                "Kernels in place of exact attention by head; after W_o this head alone is replaced");
    table.columns = {plainColumn("layer", "Layer"),
                     plainColumn("head", "Head"),
                     plainColumn("kernel", "Kernel"),
                     plainColumn("calibrated", "Calibrated"),
                     plainColumn("mse", "MSE"),
                     percentColumn("rel_mse", "RelMSE"),
                     percentColumn("fvu", "Unexplained variance"),
                     plainColumn("cosine", "Cosine"),
                     percentColumn("rel_mse_scaled", "RelMSE after the best scale"),
                     plainColumn("mse_after", "MSE after W_o"),
                     percentColumn("rel_mse_after", "RelMSE after W_o"),
                     plainColumn("kl", "KL of weights"),
                     percentColumn("total_variation", "Total variation"),
                     percentColumn("top1", "Same top key"),
                     plainColumn("bad_rows", "Bad rows")};
    for (const HeadFidelity& h : result.heads)
        appendRow(table,
                  {std::int64_t{h.layer.value}, std::int64_t{h.head.value}, h.method.kernel, calibratedCell(h.method),
                   h.before.mse, h.before.relMse, h.fvu, h.cosine, h.relMseScaled, mseOf(h.after), relOf(h.after),
                   h.weights.divergence, h.weights.totalVariation, h.weights.topAgreement, std::int64_t{h.badRows}});
    return table;
}

}  // namespace dimscope::analysis
