// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/report/kernel_rows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "analysis/figures/kernel_figures.h"
#include "analysis/figures/kernel_parts.h"
#include "kernels/kernel_catalog.h"

namespace dimscope::app {
namespace {

const analysis::PooledError* pooledOf(const analysis::ComparisonResult* layer, analysis::LayerIndex index,
                                      const std::string& kernel) {
    if (layer == nullptr) return nullptr;
    for (const analysis::PooledError& error : layer->pooled)
        if (error.layer == index && error.kernel == kernel) return &error;
    return nullptr;
}

/// "m = 64", "fla": what a person has set; of the Performer always the number of features.
std::vector<std::string> settingsOf(const kernels::KernelDescriptor& kernel, const analysis::KernelSettings& settings) {
    std::vector<std::string> texts;
    for (const kernels::KernelParameter& parameter : kernel.parameters) {
        const double value = settings.value(kernel.name, parameter.name);
        const bool always = kernel.name == "performer" && parameter.name == "features";
        if (value == parameter.defaultValue && !always) continue;
        const std::string text = valueText(parameter, value);
        // A title of several words ends in its symbol: "Features m".
        const std::size_t space = parameter.title.find_last_of(' ');
        const std::string symbol = space == std::string::npos ? parameter.name : parameter.title.substr(space + 1);
        texts.push_back(parameter.choices.empty() ? symbol + " = " + text : text);
    }
    return texts;
}

std::string settingOf(const kernels::KernelDescriptor& kernel, const Parameters& parameters,
                      const analysis::HeadGrouping* grouping) {
    if (kernel.name == "zero") return "exact keys alone";
    if (kernel.name == "uniform") return "mean of the others";
    std::vector<std::string> texts = settingsOf(kernel, parameters.settings);
    if (kernel.name == "oal" && grouping != nullptr)
        texts.insert(texts.begin(), fmt::format("{} groups", grouping->groups.size()));
    if (kernel.trained) texts.emplace_back("uncalibrated");
    return fmt::format("{}", fmt::join(texts, ", "));
}

/// Reference lines are no rows, but the two rests of an exact part are.
bool hasRow(const analysis::ComparisonResult& head, const kernels::KernelDescriptor& kernel) {
    if (kernel.name == "softmax") return false;  // the row above all
    return !kernel.referenceLine ||
           (head.evaluation.hasExactPart() && (kernel.name == "zero" || kernel.name == "uniform"));
}

KernelRow exactRow(const analysis::ComparisonResult* layer) {
    KernelRow row{.name = "softmax", .title = "Softmax", .seeds = {0.0}, .setting = "exact"};
    if (layer != nullptr) {
        row.layer = 0.0;
        const bool projected = std::any_of(layer->pooled.begin(), layer->pooled.end(),
                                           [](const auto& error) { return error.relMseAfterWo.has_value(); });
        if (projected) row.afterWo = 0.0;
    }
    return row;
}

bool before(const KernelRow& a, const KernelRow& b) {
    if (std::isnan(a.relMse) != std::isnan(b.relMse)) return std::isnan(b.relMse);
    return a.relMse < b.relMse;
}

}  // namespace

std::vector<KernelRow> kernelRows(const analysis::ComparisonResult& head, const analysis::ComparisonResult* layer,
                                  HeadChoice choice, const Parameters& parameters,
                                  const analysis::HeadGrouping* grouping) {
    std::vector<KernelRow> rows{exactRow(layer)};
    for (const kernels::KernelDescriptor& kernel : kernels::kernelCatalog()) {
        const analysis::KernelError* error = head.find(choice.layer, choice.head, kernel.name);
        if (error == nullptr || !hasRow(head, kernel)) continue;
        KernelRow row{.name = kernel.name,
                      .title = analysis::kernelTitle(head, kernel.name),
                      .relMse = error->relMse,
                      .seeds = error->seedRelMse,
                      .gate = error->gate,
                      .badRows = error->badRows,
                      .setting = settingOf(kernel, parameters, grouping)};
        if (const analysis::PooledError* pooled = pooledOf(layer, choice.layer, kernel.name)) {
            row.layer = pooled->relMse;
            row.afterWo = pooled->relMseAfterWo;
        }
        rows.push_back(std::move(row));
    }
    std::stable_sort(rows.begin() + 1, rows.end(), before);
    return rows;
}

bool hasGates(const std::vector<KernelRow>& rows) {
    return std::any_of(rows.begin(), rows.end(), [](const KernelRow& row) { return row.gate.has_value(); });
}

analysis::Table kernelRowsTable(const std::vector<KernelRow>& rows, const analysis::ComparisonResult& head,
                                HeadChoice choice) {
    const std::string how = analysis::evaluationText(head.evaluation);
    analysis::Table table{
        .name = fmt::format("kernels-L{:02}-H{}", choice.layer.value, choice.head.value),
        .caption = fmt::format("Error of each kernel against exact attention: head {} of layer {}, and "
                               "the layer before and after the output projection{}{}",
                               choice.head.value, choice.layer.value, how.empty() ? "" : ", ", how),
        .columns = {},
        .warnings = head.warnings,
        .provenance = head.provenance};
    table.columns = {{"kernel", "Kernel", "", {}, {}},
                     {"rel_mse", fmt::format("RelMSE head {}", choice.head.value), "", {}, {}},
                     {"layer_rel_mse", fmt::format("RelMSE layer {}", choice.layer.value), "", {}, {}},
                     {"layer_rel_mse_after_wo", "after W_o", "", {}, {}},
                     {"draws", "Draws", "", {}, {}},
                     {"bad_rows", "Bad rows", "", {}, {}},
                     {"setting", "Setting", "", {}, {}}};
    const auto cell = [](const std::optional<double>& value) {
        return value ? analysis::Cell(*value) : analysis::Cell(std::monostate{});
    };
    for (const KernelRow& row : rows) {
        const analysis::Cell cells[] = {row.title,
                                        row.relMse,
                                        cell(row.layer),
                                        cell(row.afterWo),
                                        static_cast<std::int64_t>(row.seeds.size()),
                                        std::int64_t{row.badRows},
                                        row.setting};
        for (std::size_t c = 0; c < table.columns.size(); ++c) table.columns[c].cells.push_back(cells[c]);
    }
    if (!hasGates(rows)) return table;
    analysis::Column gate{"gate", "Gate", "", {}, {}};
    for (const KernelRow& row : rows) gate.cells.push_back(cell(row.gate));
    table.columns.insert(table.columns.begin() + 2, std::move(gate));
    return table;
}

DotScale dotScale(const analysis::ComparisonResult& head, HeadChoice choice) {
    return dotScale(analysis::kernelErrorFigure(head, choice.layer, choice.head));
}

}  // namespace dimscope::app
