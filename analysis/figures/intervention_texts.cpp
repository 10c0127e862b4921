// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "analysis/figures/figure_parts.h"
#include "analysis/figures/intervention_figures.h"
#include "analysis/figures/kernel_parts.h"
#include "analysis/figures/recorded_value.h"

namespace dimscope::analysis {
namespace {

constexpr int kMostDecimals = 6;
constexpr std::size_t kMostPlacesNamed = 6;  // layers or heads; of more only the number is said

/// A list of the selection as the provenance has it; empty: all.
std::vector<std::int64_t> selectedIn(const Provenance& provenance, const std::string& what) {
    const auto* list = recordedValue<std::vector<std::int64_t>>(provenance.selection, what);
    return list ? *list : std::vector<std::int64_t>{};
}

}  // namespace

std::string percentNumber(double share) {
    std::string text = percentText(share);
    if (text.ends_with(" %")) text.resize(text.size() - 2);
    return text;
}

std::string percentWithError(double share, double error) {
    const double percent = 100.0 * error;
    if (!std::isfinite(share) || !std::isfinite(percent) || !(percent > 0.0)) return percentNumber(share);
    const int decimals = 1 - static_cast<int>(std::floor(std::log10(percent)));  // two digits of the error
    if (decimals > kMostDecimals) return fmt::format("{} ± {}", percentNumber(share), percentNumber(error));
    return fmt::format("{0:.{2}f} ± {1:.{2}f}", 100.0 * share, percent, std::max(decimals, 0));
}

std::string retainedText(const RetainedRow& row) {
    if (!std::isfinite(row.ratio)) return kernelTitle(row.kernel) + ": R_S undefined (E_full = 0)";
    std::string text = fmt::format("{}: R_S {}, complement {}", kernelTitle(row.kernel), percentText(row.ratio),
                                   percentText(row.complement));
    if (std::isfinite(row.error)) text += fmt::format(", standard error {}", percentText(row.error));
    if (std::isfinite(row.gaussian)) text += fmt::format(", Gaussian {}", percentText(row.gaussian));
    if (row.subsets > 0)
        text += fmt::format(", random subsets {}; {}", percentText(row.median),
                            probabilityText(row.p, row.atLeast, row.subsets));
    return text;
}

std::string probabilityText(double p, std::size_t atLeast, std::size_t draws) {
    if (!std::isfinite(p)) return "p is undefined";
    const std::string reached =
        atLeast == 0 ? fmt::format("no draw of {} reaches R_S", draws)
                     : fmt::format("{} of {} draws reach{} R_S", atLeast, draws, atLeast == 1 ? "es" : "");
    return fmt::format("p at most {}, {}", numberText(p), reached);
}

std::string shortProbability(double p) {
    if (!std::isfinite(p)) return "undefined";
    return p < 0.001 ? "< 0.001" : numberText(p);
}

std::optional<std::size_t> largestMethod(const InterventionResult& result) {
    std::optional<std::size_t> largest;
    for (std::size_t k = 0; k < result.methods.size(); ++k) {
        const double ratio = result.methods[k].retained.ratio;
        if (std::isfinite(ratio) && (!largest || ratio > result.methods[*largest].retained.ratio)) largest = k;
    }
    return largest;
}

std::string interventionExtent(const InterventionResult& result) {
    std::set<int> layers;
    for (const RetainedHead& head : result.heads) layers.insert(head.layer.value);
    const std::vector<std::int64_t> heads = selectedIn(result.provenance, "heads");
    std::string which = fmt::format("{} {}", layers.size() == 1 ? "Layer" : "Layers", fmt::join(layers, " "));
    if (layers.size() > kMostPlacesNamed) which = fmt::format("{} layers", layers.size());
    if (heads.empty()) return which + " · all heads";
    if (heads.size() > kMostPlacesNamed) return fmt::format("{} · {} heads", which, heads.size());
    return fmt::format("{} · heads {}", which, fmt::join(heads, " "));
}

std::string interventionDetails(const InterventionResult& result) {
    std::set<std::pair<LayerIndex, HeadIndex>> heads;
    for (const RetainedHead& head : result.heads) heads.emplace(head.layer, head.head);
    const double mean = static_cast<double>(result.selected) / static_cast<double>(heads.size());
    std::string extent = extentText(result.provenance, 0);
    return fmt::format("{} {} · <i>S</i> from {}, mean |<i>S</i>| {}{}", heads.size(),
                       heads.size() == 1 ? "head" : "heads", result.origin, numberText(mean), extent);
}

}  // namespace dimscope::analysis
