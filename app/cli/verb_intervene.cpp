// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>

#include "analysis/intervention/intervention.h"
#include "analysis/statistics.h"
#include "app/cli/inputs.h"
#include "app/cli/kernel_options.h"
#include "app/cli/lists.h"
#include "app/cli/subset_option.h"
#include "app/cli/text_table.h"
#include "app/cli/verbs.h"
#include "kernels/kernel_catalog.h"

namespace dimscope::app {
namespace {

using analysis::InterventionParams;
using analysis::InterventionResult;
using analysis::NumberStyle;
using analysis::RetainedRatio;

void addInterveneOptions(CLI::App& verb, Options& options) {
    addFileOption(verb, options);
    addSelectionOptions(verb, options);
    verb.add_option("--kernels", options.restrictedKernels, "Kernels kappa >= 0: a,b or all")->capture_default_str();
    addRowOptions(verb, options);
    verb.add_option("--seeds", options.interventionSeeds,
                    "Draws of the kernels: 0-4 (default: all that --params has, else 0)");
    verb.add_option("--train", options.train, "Prompts that S comes from: 0-7 or split:NAME");
    verb.add_option("--subset", options.subset,
                    "S: top:N, share:X or LAYER.HEAD:3+5,.. (default: labels of --params, else grouping)");
    verb.add_option("--control", options.control, "Controls: none, gaussian, ladder, subsets; several with commas")
        ->capture_default_str();
    verb.add_option("--draws", options.draws, "Draws of every Gaussian control")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    verb.add_option("--pool", options.pool, "What random subsets are drawn from: bulk or all")
        ->check(CLI::IsMember({"bulk", "all"}))
        ->capture_default_str();
    verb.add_option("--replicates", options.subsetReplicates, "Random subsets per head")
        ->check(CLI::Range(1, 1'000'000))
        ->capture_default_str();
    addGroupingOptions(verb, options, "--bootstrap-replicates");
    addParamsOption(verb, options, "kernels, OAL labels as S, /positions");
    addBackendOptions(verb, options);
    addKernelParameterOptions(verb, options, kernelNames(), true);
    addOutOption(verb, options);
    addJsonOption(verb, options);
}

/// Kernels that can be restricted; "all" is every one of them.
std::vector<std::string> restrictedKernels(const Options& options) {
    std::vector<std::string> known;
    for (const kernels::KernelDescriptor& kernel : kernels::kernelCatalog())
        if (kernel.properties.restrictable && kernel.name != "softmax") known.push_back(kernel.name);
    const auto names = parseNames("--kernels", options.restrictedKernels);
    if (!names) return known;
    for (const std::string& name : *names)
        if (!kernels::findKernel(name)) throw UsageError("--kernels: there is no kernel '" + name + "'");
    return *names;
}

void readControls(const Options& options, InterventionParams& params) {
    using analysis::ControlRung;
    const auto names = parseNames("--control", options.control);
    for (const std::string& name : names.value_or(std::vector<std::string>{"gaussian", "ladder", "subsets"})) {
        if (name == "gaussian" && params.rungs.empty())
            params.rungs = {ControlRung::Gaussian};
        else if (name == "ladder")
            params.rungs = {ControlRung::Gaussian,   ControlRung::LogitScale, ControlRung::Moments,
                            ControlRung::Covariance, ControlRung::Rotation,   ControlRung::Shuffle};
        else if (name == "subsets")
            params.subsets = true;
        else if (name != "none" && name != "gaussian")
            throw UsageError("--control '" + name + "': expected none, gaussian, ladder or subsets");
    }
}

/// As many seeds as every random kernel has draws in the parameter file.
void takeSeedsOfFile(const analysis::KernelFactory& factory, const analysis::DumpInfo& info,
                     InterventionParams& params) {
    int draws = 0;
    const kernels::LayerIndex layer = analysis::selectedLayers(params.selection, info).front().layer;
    for (const std::string& kernel : params.kernels)
        if (const int own = factory.drawsInFile(kernel, layer); own > 0)
            draws = draws == 0 ? own : std::min(draws, own);
    for (int seed = 1; seed < draws; ++seed) params.seeds.push_back(seed);
}

Json ratioJson(const RetainedRatio& r) {
    Json json{{"e_s", numberJson(r.eS)},
              {"e_complement", numberJson(r.eComplement)},
              {"e_full", numberJson(r.eFull)},
              {"ratio", numberJson(r.ratio)},
              {"ratio_complement", numberJson(r.ratioComplement)},
              {"ratio_pooled", numberJson(r.ratioPooled)},
              {"ratio_geometric", numberJson(r.ratioGeometric)},
              {"ratio_head_median", numberJson(r.ratioHeadMedian)}};
    json["interval"] = r.interval ? Json{numberJson(r.interval->first), numberJson(r.interval->second)} : Json::array();
    return json;
}

/// One kernel under one control: means over draws, every draw beside them.
Json outcomeJson(const analysis::ControlOutcome& outcome, std::size_t kernel) {
    Json json{{"rung", rungName(outcome.rung)}, {"draws", Json::array()}};
    std::vector<double> own, sameSize;
    for (const analysis::ControlDraw& draw : outcome.draws) {
        own.push_back(draw.own[kernel].retained.ratio);
        sameSize.push_back(draw.sameSize[kernel].retained.ratio);
        json["draws"].push_back({{"selected", draw.selected},
                                 {"own", ratioJson(draw.own[kernel].retained)},
                                 {"same_size", ratioJson(draw.sameSize[kernel].retained)}});
    }
    json["ratio"] = numberJson(analysis::meanOf(own));
    json["ratio_sd"] = numberJson(analysis::standardDeviationOf(own));
    json["ratio_same_size"] = numberJson(analysis::meanOf(sameSize));
    return json;
}

Json subsetsJson(const analysis::SubsetControl& control) {
    return {{"replicates", control.ratios.size()},
            {"at_least", control.atLeast},
            {"p", numberJson(control.p)},
            {"p_max_t", numberJson(control.pMaxT)},
            {"z", numberJson(control.z)},
            {"effect", numberJson(control.effect)},
            {"quantiles", numbersJson(control.quantiles)}};
}

Json methodJson(const InterventionResult& result, std::size_t k) {
    Json json{{"kernel", result.methods[k].kernel}, {"pretrained", ratioJson(result.methods[k].retained)}};
    if (!result.controls.empty()) {
        json["ladder"] = Json::array();
        for (const analysis::ControlOutcome& outcome : result.controls) {
            if (outcome.rung == analysis::ControlRung::Gaussian) json["gaussian"] = outcomeJson(outcome, k);
            json["ladder"].push_back(outcomeJson(outcome, k));
        }
    }
    if (!result.subsetControls.empty()) json["subsets"] = subsetsJson(result.subsetControls[k]);
    return json;
}

Json documentOf(const InterventionResult& result) {
    Json document{
        {"positions", result.positions},
        {"selected",
         {{"dimensions", result.selected},
          {"total", result.dimensions},
          {"fraction", numberJson(static_cast<double>(result.selected) / static_cast<double>(result.dimensions))},
          {"origin", result.origin}}},
        {"methods", Json::array()},
        {"cells", Json::array()},
        {"heads", Json::array()}};
    for (std::size_t k = 0; k < result.methods.size(); ++k) {
        document["methods"].push_back(methodJson(result, k));
        for (const analysis::RetainedCell& cell : result.methods[k].retained.cells)
            document["cells"].push_back({{"kernel", result.methods[k].kernel},
                                         {"layer", cell.layer.value},
                                         {"prompt", cell.prompt.value},
                                         {"e_s", numberJson(cell.eS)},
                                         {"e_complement", numberJson(cell.eComplement)},
                                         {"e_full", numberJson(cell.eFull)},
                                         {"ratio", numberJson(cell.ratio())},
                                         {"energy", numberJson(cell.energy)},
                                         {"bad_rows", cell.badRows}});
    }
    for (const analysis::RetainedHead& head : result.heads) {
        const auto found = result.subsets.find({head.layer, head.head});
        document["heads"].push_back({{"layer", head.layer.value},
                                     {"head", head.head.value},
                                     {"kernel", head.kernel},
                                     {"selected", found != result.subsets.end() ? found->second : std::vector<int>{}},
                                     {"e_s", numberJson(head.eS)},
                                     {"e_complement", numberJson(head.eComplement)},
                                     {"e_full", numberJson(head.eFull)},
                                     {"ratio", numberJson(head.ratio())}});
    }
    return document;
}

std::string pText(const analysis::SubsetControl& control) {
    return fmt::format("R_b median {:.1f} %, p at most {:.3g}, over all kernels {:.3g}, z {:.2f}",
                       100.0 * control.quantiles[2], control.p, control.pMaxT, control.z);
}

std::string summary(const InterventionResult& result) {
    analysis::Table table = analysis::interventionTable(result);
    std::string text = alignedText(table);
    for (const analysis::SubsetControl& control : result.subsetControls)
        text += fmt::format("{}: {} random subsets, {}\n", control.kernel, control.ratios.size(), pText(control));
    return text + fmt::format("{} of {} dimensions selected ({:.1f} %), by {}\n", result.selected, result.dimensions,
                              100.0 * static_cast<double>(result.selected) / static_cast<double>(result.dimensions),
                              result.origin);
}

VerbOutput runIntervene(const Options& options, const kernels::RunControl& control) {
    checkSelection(options);
    InterventionParams params;
    params.kernels = restrictedKernels(options);
    params.rows = rowCount(options);
    if (!options.interventionSeeds.empty()) params.seeds = parseSelection("--seeds", options.interventionSeeds);
    if (params.seeds.empty()) throw UsageError("--seeds 'all': expected numbers and ranges such as 0-4");
    params.seed = options.seed;
    params.subset = parseSubset(options.subset);
    params.grouping = groupingFrom(options);
    params.draws = options.draws;
    params.pool = analysis::subsetPoolFrom(options.pool);
    params.replicates = options.subsetReplicates;
    readControls(options, params);
    const Inputs inputs = openInputs(options);
    const analysis::DumpInfo& info = inputs.source->info();
    params.selection = selectionFrom(options, info, {"evaluation"});
    params.calibration = promptsFrom("--train", options.train, info);
    params.positions = queryPositions(options, inputs, analysis::selectedPrompts(params.selection, info));
    const analysis::KernelFactory factory(options.settings, inputs.parameters);
    if (options.interventionSeeds.empty()) takeSeedsOfFile(factory, info, params);
    InterventionResult result = analysis::intervene(params, factory, *inputs.source, *inputs.backend, control);
    noteParameters(inputs, result.provenance, result.warnings);

    VerbOutput output;
    output.document = documentOf(result);
    output.text = summary(result);
    output.table = analysis::interventionTable(result);
    output.warnings = result.warnings;
    return output;
}

}  // namespace

Verb interveneVerb() {
    return {"intervene",
            "How much of a kernel's error stays when only the high-contribution dimensions are approximated",
            "  dimscope-cli intervene dump.h5 --layers 15\n"
            "  dimscope-cli intervene dump.h5 --subset top:4 --control gaussian --draws 3\n"
            "  dimscope-cli intervene dump.h5 --train split:calibration --control ladder,subsets --json",
            addInterveneOptions, runIntervene};
}

}  // namespace dimscope::app
