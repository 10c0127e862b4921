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
    if (value("ladder") != 0.0)
        params.rungs = {ControlRung::Gaussian,   ControlRung::LogitScale, ControlRung::Moments,
                        ControlRung::Covariance, ControlRung::Rotation,   ControlRung::Shuffle};
    params.replicates = count("replicates");
    params.subsets = params.replicates > 0;
    params.pool = value("pool") == 0.0 ? SubsetPool::Bulk : SubsetPool::All;
    params.dose = value("dose") != 0.0;
    params.sweep = value("sweep") != 0.0;
    return params;
}

ExperimentOutcome runIntervention(const ExperimentRequest& request, HeadSource& source, kernels::Backend& backend,
                                  const RunControl& control, const ExperimentLinks& links) {
    const InterventionParams params = interventionParams(request, source.info());
    const InterventionResult result = intervene(params, KernelFactory(request.settings), source, backend, control,
                                                {.store = links.store, .stream = links.stream});
    ExperimentOutcome outcome{interventionFindings(result),
                              {retainedErrorFigure(result)},
                              {interventionTable(result)},
                              result.warnings,
                              result.provenance};
    for (std::size_t k = 0; k < result.subsetControls.size(); ++k)
        outcome.figures.push_back(
            nullHistogramFigure(result.subsetControls[k], result.methods[k].retained.ratio, result.provenance));
    if (!result.dose.empty())
        outcome.figures.push_back(doseFigure(result, DoseAxis::Dimensions, result.methods.front().kernel));
    if (!result.subsetControls.empty()) outcome.tables.push_back(subsetControlTable(result));
    outcome.tables.push_back(interventionHeadsTable(result));
    outcome.tables.push_back(interventionCellsTable(result));
    if (!result.dose.empty()) outcome.tables.push_back(doseTable(result));
    if (!result.sweep.empty()) outcome.tables.push_back(sweepTable(result));
    return outcome;
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

std::vector<ExperimentField> interventionFields() {
    return {
        {"kernels",
         "Kernels",
         "The papers' four, or every kernel that can be restricted to dimensions",
         Kind::Choice,
         0.0,
         1.0,
         0.0,
         {"four of papers", "all"}},
        rowsField(32),
        {"seeds", "Seeds", "Feature draws of random kernels, default 3", Kind::Integer, 1.0, 100.0, 3.0},
        {"s",
         "S from",
         "The high-contribution dimensions: groups but the first, the strongest, or a share of χ",
         Kind::Choice,
         0.0,
         2.0,
         0.0,
         {"grouping", "top n", "share of χ"}},
        {"top", "n", "Strongest dimensions per head, where S is the top n, default 4", Kind::Integer, 1.0, 4096.0, 4.0},
        {"share", "Share", "Share of χ that S holds at least, where S goes by share, default 0.5", Kind::Number, 0.01,
         1.0, 0.5},
        {"cross_fit",
         "Cross-fit S",
         "S for a prompt comes from the other prompts",
         Kind::Choice,
         0.0,
         2.0,
         0.0,
         {"without splits", "always", "never"}},
        switchField("gaussian", "Gaussian control", "Queries and keys replaced by N(0, 1)", true),
        switchField("ladder", "Whole ladder", "Six controls from N(0, 1) to shuffled positions", false),
        {"draws", "Control draws", "Draws of every Gaussian control, default 1", Kind::Integer, 1.0, 100.0, 1.0},
        {"replicates", "Random subsets", "Random subsets of the size of S, 0: none, default 1000", Kind::Integer, 0.0,
         1e6, 1000.0},
        {"pool",
         "Drawn from",
         "Dimensions that random subsets are drawn from",
         Kind::Choice,
         0.0,
         1.0,
         0.0,
         {"bulk", "all"}},
        switchField("dose", "Dose curve", "R against the dimensions in order of contribution and in random order",
                    false),
        switchField("sweep", "Sweep", "R_S and |S| over the parameters of the grouping", false)};
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
        "<b>Null histogram</b>: the ratios of random subsets beside R<sub>S</sub>; it grows while the control runs. "
        "A cancelled run keeps its pieces, and Run goes on from them.",
        interventionFields(),
        false,
        true,
        withoutValue,
        interventionLimits,
        runIntervention};
}

}  // namespace dimscope::analysis
