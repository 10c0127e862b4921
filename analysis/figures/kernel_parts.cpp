// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/figures/kernel_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/figures/figure_parts.h"
#include "kernels/kernel_catalog.h"

namespace dimscope::analysis {

std::string kernelTitle(const std::string& name) {
    const kernels::KernelDescriptor* kernel = kernels::findKernel(name);
    return kernel ? kernel->title : name;
}

std::string kernelTitle(const ComparisonResult& result, const std::string& name) {
    if (result.evaluation.hasExactPart() && name == "zero") return "No rest";
    if (result.evaluation.hasExactPart() && name == "uniform") return "Uniform rest";
    return kernelTitle(name);
}

std::vector<std::string> shownReferences(const ComparisonResult& result) {
    if (result.evaluation.hasExactPart()) return {"uniform", "zero"};
    return {"first_value", "uniform", "zero"};
}

bool isReferenceLine(const std::string& name) {
    const kernels::KernelDescriptor* kernel = kernels::findKernel(name);
    return kernel && kernel->referenceLine;
}

int kernelKey(const ComparisonResult& result, const std::string& name) {
    const auto it = std::find(result.kernels.begin(), result.kernels.end(), name);
    return it == result.kernels.end() ? -1 : static_cast<int>(it - result.kernels.begin());
}

std::vector<const KernelError*> rankedKernels(const ComparisonResult& result, LayerIndex layer, HeadIndex head) {
    std::vector<const KernelError*> ranked;
    for (const std::string& kernel : result.kernels)
        if (const KernelError* error = result.find(layer, head, kernel);
            error && kernel != "softmax" && !isReferenceLine(kernel))
            ranked.push_back(error);
    std::stable_sort(ranked.begin(), ranked.end(), [](const KernelError* a, const KernelError* b) {
        const bool aDefined = std::isfinite(a->relMse), bDefined = std::isfinite(b->relMse);
        return aDefined && bDefined ? a->relMse < b->relMse : aDefined && !bDefined;
    });
    return ranked;
}

LogRange sensibleRange(std::vector<double> values) {
    std::erase_if(values, [](double v) { return !std::isfinite(v) || v <= 0.0; });
    if (values.empty()) return {};
    std::sort(values.begin(), values.end());
    const double median = values[values.size() / 2];
    const double most = 10.0 * std::max(1.0, median), least = 1e-3 * std::min(1.0, median);
    std::erase_if(values, [&](double v) { return v > most || v < least; });
    const double pad = std::max(std::pow(values.back() / values.front(), 0.06), 1.1);
    return {values.front() / pad, values.back() * pad};
}

std::string rowsText(const ComparisonResult& result) {
    if (result.positions.empty()) return "no rows";
    std::size_t least = result.positions.front().size(), most = least;
    for (const auto& rows : result.positions) {
        least = std::min(least, rows.size());
        most = std::max(most, rows.size());
    }
    return least == most ? fmt::format("{} {}", most, most == 1 ? "row" : "rows")
                         : fmt::format("{} to {} rows", least, most);
}

Figure comparisonFigure(const std::string& stem, const std::string& title, const std::string& what,
                        const ComparisonResult& result, LayerIndex layer, HeadIndex head) {
    Figure figure;
    figure.name = headStem(stem, layer, head);
    figure.title = title;
    const std::string how = evaluationText(result.evaluation);
    figure.caption = fmt::format("{} · {} · {}{}{}{}", what, placeText(layer, head), how, how.empty() ? "" : " · ",
                                 rowsText(result), extentText(result.provenance, result.prompts.size()));
    figure.warnings = result.warnings;
    figure.provenance = result.provenance;
    return figure;
}

}  // namespace dimscope::analysis
