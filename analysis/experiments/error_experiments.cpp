// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "analysis/budget/budget.h"
#include "analysis/calibration/calibration.h"
#include "analysis/experiments/experiment_list.h"
#include "analysis/fidelity/fidelity.h"
#include "analysis/figures/budget_figures.h"
#include "analysis/figures/error_findings.h"
#include "analysis/figures/fidelity_figures.h"
#include "analysis/head_profile.h"

namespace dimscope::analysis {
namespace {

using Kind = ExperimentField::Kind;

/// Groups of the calibration prompts, for oal.
KernelFactory groupedFactory(const ExperimentRequest& request, HeadSource& source, kernels::Backend& backend,
                             const RunControl& control) {
    Selection selection = request.selection;
    selection.prompts = promptsOfSplits(source.info(), {"calibration", "train"});
    const ProfileResult profile = profileHeads(selection, source, backend, control.slice(0.0F, 0.5F));
    KernelFactory factory(request.settings);
    factory.setGroups(groupHeads(request.grouping, profile, control.slice(0.5F, 1.0F)));
    return factory;
}

/// The same with fitted parameters.
KernelFactory calibratedFactory(const KernelFactory& untrained, const ExperimentRequest& request, HeadSource& source,
                                int rows, const RunControl& control) {
    CalibrationParams fits;
    fits.selection = request.selection;
    fits.kernels = {"taylorshift", "dijiang", "global", "oal"};
    choosePrompts(source.info(), fits);
    fits.rows = rows;
    fits.seed = request.seed;
    const CalibrationResult result = calibrateKernels(fits, untrained, source, control);
    control.throwIfCancelled();
    return KernelFactory(request.settings, std::make_shared<const kernels::ParameterSet>(
                                               calibratedParameters(result, untrained, source.info())));
}

ExperimentOutcome runFidelity(const ExperimentRequest& request, HeadSource& source, kernels::Backend& backend,
                              const RunControl& control, const ExperimentLinks& /*none*/) {
    const Experiment experiment = fidelityExperiment();
    FidelityParams params;
    params.selection = request.selection;
    if (params.selection.prompts.empty()) params.selection.prompts = promptsOfSplits(source.info(), {"evaluation"});
    params.kernels = {"performer", "spectraformer", "dijiang", "taylorshift", "taylor", "global", "oal"};
    params.rows = static_cast<int>(experiment.value(request, "rows"));
    params.weightRows = static_cast<int>(experiment.value(request, "weight_rows"));
    params.seed = request.seed;
    KernelFactory factory = groupedFactory(request, source, backend, control.slice(0.0F, 0.1F));
    if (experiment.value(request, "calibrated") != 0.0)
        factory = calibratedFactory(factory, request, source, static_cast<int>(experiment.value(request, "fit_rows")),
                                    control.slice(0.1F, 0.4F));
    const FidelityResult result = frozenFidelity(params, factory, source, backend, control.slice(0.4F, 1.0F), true);
    return {fidelityFindings(result),
            {fidelityFigure(result), fidelityHeadsFigure(result)},
            {fidelityTable(result), fidelityLayerTable(result), fidelityHeadTable(result)},
            result.warnings,
            result.provenance};
}

std::vector<std::string> fidelityLimits(const DumpInfo& info) {
    std::vector<std::string> clauses;
    if (!std::all_of(info.layers.begin(), info.layers.end(), [](const LayerInfo& l) { return l.hasOutputProjection; }))
        clauses.emplace_back("no W_o in some layer: no errors after the projection there");
    if (info.prompts.size() < 8)
        clauses.emplace_back("fewer than 8 sequences: every prompt's value instead of an interval");
    if (promptsOfSplits(info, {"train", "calibration"}).size() == info.prompts.size())
        clauses.emplace_back("kernels are calibrated and judged on the same prompts");
    return clauses;
}

ExperimentOutcome runBudget(const ExperimentRequest& request, HeadSource& source, kernels::Backend& backend,
                            const RunControl& control, const ExperimentLinks& /*none*/) {
    const Experiment experiment = budgetExperiment();
    BudgetParams params;
    const Selection small = smallBudgetSelection(source.info());
    params.selection = request.selection;
    if (params.selection.layers.empty()) params.selection.layers = small.layers;
    if (params.selection.layers == small.layers) params.selection.heads = small.heads;
    if (params.selection.prompts.empty()) params.selection.prompts = promptsOfSplits(source.info(), {"evaluation"});
    params.grouping = request.grouping;
    params.fitRows = static_cast<int>(experiment.value(request, "fit_rows"));
    params.randomPartitions = static_cast<int>(experiment.value(request, "partitions"));
    params.seed = request.seed;
    const BudgetResult result = groupBudget(params, source, backend, control);
    return {budgetFindings(result),
            {budgetFigure(result)},
            {budgetTable(result), budgetHeadTable(result)},
            result.warnings,
            result.provenance};
}

std::vector<std::string> budgetLimits(const DumpInfo& info) {
    if (info.layers.size() > 1)
        return {"one layer and one query head per key/value head, because every point is fitted"};
    return {};
}

}  // namespace

Experiment fidelityExperiment() {
    return {
        "fidelity",
        "Fidelity",
        "What does each kernel lose in place of exact attention, at all rows, before and after the output projection?",
        "<b>RelMSE</b> is the squared error over the squared exact output, at every position. Open marks are "
        "untrained kernels, filled ones calibrated to exact outputs; after W<sub>o</sub> errors of heads can cancel "
        "or add up, which the cross terms say.<br>"
        "The lines zero, uniform and first value need no kernel: above them a kernel is worse than no answer.",
        {rowsField(0),
         {"weight_rows", "Weight rows", "Rows per prompt that attention weights are compared at, default 32",
          Kind::Integer, 0.0, 1e6, 32.0},
         {"fit_rows", "Fit rows", "Rows per prompt that kernels are calibrated on, 0 = all, default 128", Kind::Integer,
          0.0, 1e6, 128.0},
         {"calibrated", "Calibrate", "Also fit taylorshift, dijiang, global and oal to exact outputs", Kind::Switch,
          0.0, 1.0, 1.0}},
        false,
        false,
        withoutValue,
        fidelityLimits,
        runFidelity};
}

Experiment budgetExperiment() {
    return {
        "budget",
        "Budget",
        "How many groups of dimensions are worth their parameters, and does it matter which dimensions they hold?",
        "Every point is a grouped quadratic kernel, fitted to exact outputs and judged on other prompts. The joined "
        "points are the Pareto front: no other has fewer parameters and a smaller error. Light points are random "
        "partitions of equal sizes.",
        {{"partitions", "Random partitions", "Per number of groups, default 20", Kind::Integer, 0.0, 1000.0, 20.0},
         {"fit_rows", "Fit rows", "Rows drawn per prompt to fit on, 0 = all, default 96", Kind::Integer, 0.0, 1e6,
          96.0}},
        false,
        false,
        withoutValue,
        budgetLimits,
        runBudget};
}

}  // namespace dimscope::analysis
