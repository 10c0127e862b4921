// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include "analysis/experiments/experiment_list.h"
#include "analysis/figures/contribution_figures.h"
#include "analysis/figures/contribution_findings.h"

namespace dimscope::analysis {
namespace {

using Kind = ExperimentField::Kind;

/// The head whose figure stands for all: the strongest of those that `value` gives a number. Null where none has one.
template <class Head, class Value>
const Head* strongest(const std::vector<Head>& heads, Value value) {
    const Head* found = nullptr;
    for (const Head& head : heads)
        if (head.usable && std::isfinite(value(head)) && (found == nullptr || value(head) > value(*found)))
            found = &head;
    return found;
}

ExperimentOutcome runConcentration(const ExperimentRequest& request, HeadSource& source, kernels::Backend& backend,
                                   const RunControl& control, const ExperimentLinks& /*none*/) {
    ConcentrationParams params;
    params.selection = request.selection;
    params.draws = static_cast<int>(concentrationExperiment().value(request, "draws"));
    params.seed = request.seed;
    const ConcentrationResult result = concentration(params, source, backend, control);
    ExperimentOutcome outcome{concentrationFindings(result),
                              {topShareFigure(result)},
                              {concentrationTable(result), lorenzTable(result)},
                              result.warnings,
                              result.provenance};
    if (const auto* head = strongest(result.heads, [](const HeadConcentration& h) { return h.top5; }))
        outcome.figures.push_back(lorenzFigure(result, *head));
    return outcome;
}

std::vector<std::string> noLimits(const DumpInfo& /*info*/) { return {}; }

ExperimentOutcome runStability(const ExperimentRequest& request, HeadSource& source, kernels::Backend& /*in double*/,
                               const RunControl& control, const ExperimentLinks& /*none*/) {
    StabilityParams params;
    params.selection = request.selection;
    const Experiment experiment = stabilityExperiment();
    params.top = static_cast<int>(experiment.value(request, "top"));
    params.replicates = static_cast<int>(experiment.value(request, "replicates"));
    params.seed = request.seed;
    const StabilityResult result = contributionStability(params, source, control);
    ExperimentOutcome outcome{
        stabilityFindings(result),
        {},
        {stabilityTable(result), headStabilityTable(result), prefixShareTable(result), promptAgreementTable(result)},
        result.warnings,
        result.provenance};
    const auto fullShare = [](const HeadStability& h) { return h.fixedShare.empty() ? kNaN : h.fixedShare.back(); };
    if (const auto* head = strongest(result.heads, fullShare))
        outcome.figures = {contributionScatterFigure(result, *head), prefixShareFigure(result, *head),
                           contributionOverlayFigure(result, *head)};
    return outcome;
}

std::vector<std::string> stabilityLimits(const DumpInfo& info) {
    if (info.prompts.size() < 2) return {"one prompt: nothing to compare its contributions with"};
    if (info.prompts.size() < 8) return {"fewer than 8 prompts: every prompt's value instead of an interval"};
    return {};
}

ExperimentOutcome runLayers(const ExperimentRequest& request, HeadSource& source, kernels::Backend& backend,
                            const RunControl& control, const ExperimentLinks& /*none*/) {
    LayerMagnitudesParams params;
    params.selection = request.selection;
    params.rows = static_cast<int>(layersExperiment().value(request, "rows"));
    params.rowSeed = request.seed;
    const LayerMagnitudesResult result = layerMagnitudes(params, source, backend, control);
    return {layersFindings(result),
            {layerMagnitudesFigure(result)},
            {layerMagnitudesTable(result)},
            result.warnings,
            result.provenance};
}

std::vector<std::string> layersLimits(const DumpInfo& info) {
    std::vector<std::string> clauses;
    const auto every = [&info](auto has) { return std::all_of(info.layers.begin(), info.layers.end(), has); };
    if (!every([](const LayerInfo& l) { return l.hasValue && l.hasOutputProjection; }))
        clauses.emplace_back("no v or W_o in some layer: no output after the projection there");
    if (info.layers.size() < 3) clauses.emplace_back("fewer than three layers: no course over depth");
    return clauses;
}

}  // namespace

Experiment concentrationExperiment() {
    return {
        "concentration",
        "Concentration",
        "Do a few dimensions carry the logits, more than the number of dimensions would explain?",
        "<b>Top-5 share</b> of every head stands beside the same share of isotropic draws with the same number of "
        "positions and dimensions: their own top five, so that the choice of the largest is paid for.<br>"
        "<b>Lorenz curve</b>: the share of the contribution that the weakest dimensions hold together; the diagonal "
        "is equality.",
        {{"draws", "Isotropic draws", "Draws of Gaussian queries and keys to compare with, default 20", Kind::Integer,
          0.0, 1000.0, 20.0}},
        true,
        false,
        always,
        noLimits,
        runConcentration};
}

Experiment stabilityExperiment() {
    return {
        "stability",
        "Stability",
        "Are they the same dimensions on other prompts and at other lengths?",
        "<b>Scatter</b>: the contribution of each dimension on the second part of the prompts over that on the first, "
        "with Spearman's rho. <b>Prefix lengths</b>: the share of the strongest dimensions at every length, those "
        "of the full length and those that are strongest there.<br>"
        "The tables give every head, every prompt and how often each set returns when prompts are drawn again.",
        {{"top", "Top dimensions", "Strongest dimensions that are followed, default 5", Kind::Integer, 1.0, 64.0, 5.0},
         {"replicates", "Replicates", "Bootstrap replicates of the prompts, default 1000", Kind::Integer, 0.0, 100000.0,
          1000.0}},
        true,
        false,
        always,
        stabilityLimits,
        runStability};
}

Experiment layersExperiment() {
    return {
        "layers",
        "Layers",
        "How large do queries, keys, values and outputs grow from layer to layer, and in how few dimensions?",
        "<b>Magnitudes</b> show the three largest dimensions and the median of every layer, for <i>q</i>, <i>k</i>, "
        "<i>v</i>, the attention output after W<sub>o</sub> and, where the dump has it, the residual stream.",
        {rowsField(32)},
        true,
        false,
        always,
        layersLimits,
        runLayers};
}

}  // namespace dimscope::analysis
