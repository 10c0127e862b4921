// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/figures/doctor_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/figures/figure_parts.h"
#include "analysis/figures/layer_head_map.h"

namespace dimscope::analysis {
namespace {

constexpr std::size_t kMostFindings = 5;

/// A sentence has markup in "<...>" and names dimensions in "[...]"; what a file says has neither.
std::string withoutMarkup(std::string text) {
    for (const auto& [mark, plain] : {std::pair{'[', '('}, {']', ')'}, {'<', '('}, {'>', ')'}})
        std::replace(text.begin(), text.end(), mark, plain);
    return text;
}

std::string sentenceOf(const DoctorCheck& check) {
    const std::string layer = check.layer ? fmt::format(" of layer {}", check.layer->value) : "";
    return withoutMarkup(fmt::format("{}{}: {}.", check.name, layer, check.detail));
}

void addFindings(const DoctorResult& result, CheckStatus status, std::vector<Finding>& findings) {
    for (const DoctorCheck& check : result.checks)
        if (check.status == status && findings.size() < kMostFindings) findings.push_back({sentenceOf(check), {}, {}});
}

}  // namespace

Figure sinkMassFigure(const DoctorResult& result) {
    Figure figure;
    figure.name = "sink-mass";
    figure.title = "Attention sinks.";
    figure.caption = "Largest attention mass that one key draws from queries far behind it, by layer and head" +
                     extentText(result.provenance, result.prompts);
    figure.warnings = result.warnings;
    figure.provenance = result.provenance;
    LayerHeadValues values;
    bool any = false;
    for (const HeadSinkMass& head : result.headMasses) {
        values[{head.layer, head.head}] = head.mass;
        any = any || std::isfinite(head.mass);
    }
    HeatMap look;
    look.barTitle = "largest mass of a key";
    figure.panels.push_back(any ? layerHeadPanel(values, std::move(look))
                                : emptyPanel("no key has enough queries far behind it"));
    return figure;
}

std::vector<Finding> doctorFindings(const DoctorResult& result) {
    std::vector<Finding> findings;
    addFindings(result, CheckStatus::Fail, findings);
    addFindings(result, CheckStatus::Warn, findings);
    for (const DoctorCheck& check : result.checks)
        if (check.status == CheckStatus::Pass && std::isfinite(check.residual) && findings.size() < kMostFindings)
            findings.push_back({sentenceOf(check), {}, {}});
    return findings;
}

}  // namespace dimscope::analysis
