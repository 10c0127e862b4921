// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/figures/contribution_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/figures/contribution_figures.h"
#include "analysis/figures/figure_parts.h"
#include "analysis/figures/head_numbers.h"
#include "analysis/statistics.h"

namespace dimscope::analysis {
namespace {

Finding plainFinding(std::string text) { return {std::move(text), {}, {}}; }

void addLayerRange(const std::vector<LayerMagnitudes>& layers, const char* what,
                   const MagnitudeSummary& (*summary)(const LayerMagnitudes&), std::vector<Finding>& findings) {
    const LayerMagnitudes* most = nullptr;
    const auto excess = [summary](const LayerMagnitudes& layer) {
        const MagnitudeSummary& of = summary(layer);
        return of.top.empty() || !(of.median > 0.0) ? kNaN : of.top.front().value / of.median;
    };
    for (const LayerMagnitudes& layer : layers)
        if (std::isfinite(excess(layer)) && (most == nullptr || excess(layer) > excess(*most))) most = &layer;
    if (most == nullptr) return;
    const LargeDimension& largest = summary(*most).top.front();
    findings.push_back(
        plainFinding(fmt::format("{} stands out most in layer {}: head {} dim {} is {} × the median.", what,
                                 most->layer.value, largest.head, largest.dimension, numberText(excess(*most)))));
}

}  // namespace

std::vector<Finding> concentrationFindings(const ConcentrationResult& result) {
    std::vector<Finding> findings;
    const auto shares = headNumbers(result.heads, [](const HeadConcentration& h) { return h.top5; });
    if (shares.empty()) return findings;
    const auto drawn = headNumbers(result.heads, [](const HeadConcentration& h) { return medianOf(h.isotropic.own); });
    if (drawn.empty()) {
        findings.push_back(plainFinding(fmt::format("Five dimensions carry {} of the contribution in the median head.",
                                                    roundPercentText(medianOf(shares)))));
    } else {
        findings.push_back(
            plainFinding(fmt::format("Five dimensions carry {} in the median head, {} in isotropic draws.",
                                     roundPercentText(medianOf(shares)), roundPercentText(medianOf(drawn)))));
        const auto above = std::count_if(result.heads.begin(), result.heads.end(), [](const HeadConcentration& h) {
            return h.usable && !h.isotropic.own.empty() &&
                   h.top5 > *std::max_element(h.isotropic.own.begin(), h.isotropic.own.end());
        });
        findings.push_back(plainFinding(
            fmt::format("{} of {} heads lie above every one of their {} draws.", above, shares.size(), result.draws)));
    }
    const auto effective = headNumbers(result.heads, [](const HeadConcentration& h) { return h.effectiveDims; });
    if (!effective.empty())
        findings.push_back(plainFinding(fmt::format("Effective dimensions: {} to {}, median {}.",
                                                    numberText(*std::min_element(effective.begin(), effective.end())),
                                                    numberText(*std::max_element(effective.begin(), effective.end())),
                                                    numberText(medianOf(effective)))));
    return findings;
}

std::vector<Finding> stabilityFindings(const StabilityResult& result) {
    std::vector<Finding> findings;
    const auto rho = headNumbers(result.heads, [](const HeadStability& h) { return h.rho; });
    if (!rho.empty()) {
        findings.push_back(plainFinding(fmt::format("Between the two parts of the prompts: {}, in the median head.",
                                                    rankAgreementText(medianOf(rho)))));
        const auto overlap = headNumbers(result.heads, [](const HeadStability& h) { return h.topOverlap; });
        const auto same = std::count(overlap.begin(), overlap.end(), 1.0);
        findings.push_back(plainFinding(
            fmt::format("{} of {} heads have the same top {} in both.", same, overlap.size(), result.top)));
    }
    const auto frequency = headNumbers(result.heads, [](const HeadStability& h) { return h.setFrequency; });
    if (!frequency.empty())
        findings.push_back(
            plainFinding(fmt::format("The set returns in {} of bootstrap replicates, in the median head.",
                                     roundPercentText(medianOf(frequency)))));
    if (result.lengths.size() > 1) {
        const auto early = headNumbers(result.heads, [](const HeadStability& h) {
            return h.lengthOverlap.empty() ? kNaN : h.lengthOverlap.front();
        });
        if (!early.empty())
            findings.push_back(
                plainFinding(fmt::format("At N {} already {} of the top {} are the same.", result.lengths.front(),
                                         roundPercentText(meanOf(early)), result.top)));
    }
    return findings;
}

std::vector<Finding> layersFindings(const LayerMagnitudesResult& result) {
    std::vector<Finding> findings;
    addLayerRange(
        result.layers, "|<i>k</i>|", [](const LayerMagnitudes& l) -> const MagnitudeSummary& { return l.key; },
        findings);
    addLayerRange(
        result.layers, "|<i>q</i>|", [](const LayerMagnitudes& l) -> const MagnitudeSummary& { return l.query; },
        findings);
    return findings;
}

}  // namespace dimscope::analysis
