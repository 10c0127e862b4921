// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/experiments/experiment_list.h"
#include "analysis/figures/intervention_figures.h"
#include "analysis/intervention/subset_selection.h"
#include "kernels/kernel_catalog.h"

namespace dimscope::analysis {
namespace {

using Kind = ExperimentField::Kind;

// Places of the choices below.
constexpr double kPapersFour = 0.0, kByTop = 1.0, kByShare = 2.0, kByDefault = 0.0, kAlways = 1.0;

std::vector<std::string> kernelsOf(double choice) {
    if (choice == kPapersFour) return {"performer", "spectraformer", "dijiang", "taylorshift"};
    std::vector<std::string> names;
    for (const kernels::KernelDescriptor& kernel : kernels::kernelCatalog())
        if (kernel.properties.restrictable && !kernel.referenceLine && kernel.name != "softmax")
            names.push_back(kernel.name);
    return names;
}

InterventionParams interventionParams(const ExperimentRequest& request, const DumpInfo& info) {
    const Experiment experiment = interventionExperiment();
    const auto value = [&](const char* field) { return experiment.value(request, field); };
    const auto count = [&](const char* field) { return static_cast<int>(value(field)); };
    InterventionParams params;
    params.selection = request.selection;
    if (params.selection.prompts.empty()) params.selection.prompts = promptsOfSplits(info, {"evaluation"});
    params.kernels = kernelsOf(value("kernels"));
    params.rows = count("rows");
    params.seeds.clear();
    for (int seed = 0; seed < count("seeds"); ++seed) params.seeds.push_back(seed);
    params.seed = request.seed;
    params.grouping = request.grouping;
    if (value("s") == kByTop) params.subset = {SubsetChoice::Kind::Top, count("top"), 0.0, {}};
    if (value("s") == kByShare) params.subset = {SubsetChoice::Kind::Share, 0, value("share"), {}};
    const double crossFit = value("cross_fit");
    params.crossFit =
        crossFit == kAlways || (crossFit == kByDefault && params.subset.kind == SubsetChoice::Kind::Grouping &&
                                isCrossFitByDefault(info, params.selection, KernelFactory()));
    params.draws = count("draws");
    if (value("gaussian") != 0.0) params.rungs = {ControlRung::Gaussian};
    if (value("ladder") != 0.0) params.rungs = ladder();
    params.subsets = count("replicates") > 0;
    if (params.subsets) params.replicates = count("replicates");
    params.pool = value("pool") == 0.0 ? SubsetPool::Bulk : SubsetPool::All;
    params.dose = value("dose") != 0.0;
    params.doseDraws = count("dose_draws");
    params.sweep = value("sweep") != 0.0;
    return params;
}

/// Figures and tables of a result, also of one that is still running.
ExperimentOutcome outcomeOf(std::shared_ptr<const InterventionResult> found) {
    const InterventionResult& result = *found;
    ExperimentOutcome outcome{.findings = interventionFindings(result),
                              .figures = {retainedErrorFigure(result)},
                              .tables = {retainedErrorTable(result), interventionTable(result)},
                              .warnings = result.warnings,
                              .provenance = result.provenance};
    for (std::size_t k = 0; k < result.subsetControls.size(); ++k)
        outcome.figures.push_back(nullHistogramFigure(result, k));
    const std::size_t chosen = largestMethod(result).value_or(0);
    if (!result.dose.empty())
        outcome.figures.push_back(doseFigure(result, DoseAxis::Dimensions, result.methods[chosen].kernel));
    if (!result.subsetControls.empty()) outcome.tables.push_back(subsetControlTable(result));
    outcome.tables.push_back(interventionHeadsTable(result));
    outcome.tables.push_back(interventionCellsTable(result));
    if (!result.dose.empty()) outcome.tables.push_back(doseTable(result));
    if (!result.sweep.empty()) outcome.tables.push_back(sweepTable(result));
    outcome.running = result.running;
    outcome.intervention = std::move(found);
    return outcome;
}

ExperimentOutcome runIntervention(const ExperimentRequest& request, HeadSource& source, kernels::Backend& backend,
                                  const RunControl& control, const ExperimentLinks& links) {
    const InterventionParams params = interventionParams(request, source.info());
    InterventionLinks shared{links.store, {}};
    if (links.stream)
        shared.seen = [stream = links.stream](const InterventionResult& soFar) {
            stream->publish(std::make_shared<const ExperimentOutcome>(
                outcomeOf(std::make_shared<const InterventionResult>(soFar))));
        };
    return outcomeOf(std::make_shared<const InterventionResult>(
        intervene(params, KernelFactory(request.settings), source, backend, control, shared)));
}

std::vector<std::string> interventionLimits(const DumpInfo& info) {
    std::vector<std::string> clauses;
    if (isCrossFitByDefault(info, {}, KernelFactory()))
        clauses.emplace_back("no splits: S for a prompt comes from the other prompts");
    else if (promptsOfSplits(info, {"calibration", "train"}).size() == info.prompts.size())
        clauses.emplace_back("S is selected and judged on the same prompts");
    if (info.prompts.size() < 8) clauses.emplace_back("fewer than 8 sequences: every cell instead of an interval");
    return clauses;
}

ExperimentField switchField(const char* name, const char* label, const char* tip, bool on) {
    return {name, label, tip, Kind::Switch, 0.0, 1.0, on ? 1.0 : 0.0};
}

ExperimentField integerField(const char* name, const char* label, const char* tip, double least, double most,
                             double start) {
    return {name, label, tip, Kind::Integer, least, most, start};
}

ExperimentField choiceField(const char* name, const char* label, const char* tip, std::vector<std::string> choices) {
    const double most = static_cast<double>(choices.size()) - 1.0;
    return {name, label, tip, Kind::Choice, 0.0, most, 0.0, std::move(choices)};
}

std::vector<ExperimentField> interventionFields() {
    std::vector<ExperimentField> fields{
        rowsField(32),
        integerField("seeds", "Feature draws", "Draws of the features of random kernels, default 1", 1.0, 100.0, 1.0),
        choiceField("kernels", "Methods", "The papers' four, or every kernel that can be restricted to dimensions",
                    {"four of papers", "all"}),
        switchField("gaussian", "Gaussian q, k", "Queries and keys replaced by N(0, 1)", true),
        integerField("draws", "Gaussian draws", "Draws of every Gaussian control, default 1", 1.0, 100.0, 1.0),
        integerField("replicates", "Random subsets B", "Random subsets of the size of S, 0: none, default 1000", 0.0,
                     1e6, 1000.0),
        choiceField("pool", "Pool", "Dimensions that random subsets are drawn from", {"bulk", "all"}),
        switchField("dose", "Dose curve", "R against the dimensions in order of contribution and in random order",
                    true),
        integerField("dose_draws", "Random orders", "Random orders of the dose curve, default 10", 0.0, 10000.0, 10.0),
        switchField("ladder", "Whole ladder", "Six controls from N(0, 1) to shuffled positions", false),
        switchField("sweep", "Sweep", "R_S and |S| over the parameters of the grouping", false),
        choiceField("s", "S from",
                    "The high-contribution dimensions: groups but the first, the strongest, or a share of χ",
                    {"grouping", "top n", "share of χ"}),
        integerField("top", "n", "Strongest dimensions per head, where S is the top n, default 4", 1.0, 4096.0, 4.0),
        {"share", "Share", "Share of χ that S holds at least, where S goes by share, default 0.5", Kind::Number, 0.01,
         1.0, 0.5},
        choiceField("cross_fit", "Cross-fit S", "S for a prompt comes from the other prompts",
                    {"without splits", "always", "never"})};
    for (ExperimentField& field : fields) {
        if (field.name == "gaussian") field.group = "Controls";
        if (field.name == "draws") field.unit = "a layer";
        if (field.name == "s") field.group = "Dimensions in S";
    }
    return fields;
}

}  // namespace

Experiment interventionExperiment() {
    return {
        "intervene",
        "Intervention",
        "How much of a kernel's error stays when only the high-contribution dimensions are approximated?",
        "<b>R<sub>S</sub></b> is the error with the dimensions S approximated and the rest exact, over the error "
        "with all of them approximated; a mean over layers and sequences.<br>"
        "Filled marks are the dump, open marks its Gaussian control, grey bars the middle 95 % of random subsets of "
        "the same size. A ratio above 100 % means that the errors of S and of the rest cancel in part.<br>"
        "<b>Random subsets</b>: the ratios of random subsets beside R<sub>S</sub>; it grows while the control runs. "
        "A cancelled run keeps its pieces, and Continue goes on from them.<br>"
        "<b>Dose</b>: the ratio with the kernel on the largest dimensions of every head, one more at a time; grey: in "
        "random order.<br><br>"
        "A row of the table chooses the kernel of the two figures below it.",
        interventionFields(),
        false,
        true,
        withoutValue,
        interventionLimits,
        runIntervention};
}

}  // namespace dimscope::analysis
