// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/intervention_options.h"

#include <algorithm>

#include "analysis/intervention/protocol.h"
#include "analysis/intervention/subset_selection.h"
#include "app/cli/kernel_options.h"
#include "app/cli/lists.h"
#include "app/cli/subset_option.h"
#include "kernels/kernel_catalog.h"

namespace dimscope::app {
namespace {

using analysis::InterventionParams;

/// What a protocol sets cannot be set beside it.
void addProtocolOption(CLI::App& verb, Options& options) {
    CLI::Option* protocol = verb.add_option(
        "--protocol", options.protocol, "Settings of a paper or a quick look: layers, seeds, rows, alpha, tau, gamma");
    protocol->check(CLI::IsMember({"oal-qwen", "oal-llama", "quick"}));
    for (const char* set : {"--seeds", "--rows", "--positions", "--alpha", "--tau", "--gamma", "--replicates"})
        protocol->excludes(verb.get_option(set));
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
            params.rungs = analysis::ladder();
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

void takeProtocol(const Options& options, const analysis::DumpInfo& info, InterventionParams& params,
                  std::vector<analysis::Warning>& warnings) {
    const analysis::Protocol& protocol = analysis::protocolFrom(options.protocol);
    if (options.layers == "all") params.selection.layers = protocolLayers(protocol, info);
    params.seeds.clear();
    for (int seed = 0; seed < protocol.seeds; ++seed) params.seeds.push_back(seed);
    params.rows = protocol.rows;
    params.grouping.alpha = protocol.alpha;
    params.grouping.tau = protocol.tau;
    params.grouping.gamma = protocol.gamma;
    params.replicates = protocol.replicates;
    const std::vector<analysis::Warning> unmet = unmetBy(protocol, info);
    warnings.insert(warnings.end(), unmet.begin(), unmet.end());
}

}  // namespace

void addInterventionOptions(CLI::App& verb, Options& options) {
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
    verb.add_option("--rank-limit", options.rankLimit, "Most subsets of its size that a head is ranked among exactly")
        ->check(CLI::Range(0, 1'000'000))
        ->capture_default_str();
    verb.add_flag("--dose", options.dose, "R against the dimensions in order of contribution and in random order");
    verb.add_option("--dose-draws", options.doseDraws, "Random orders of --dose")
        ->check(CLI::Range(0, 10'000))
        ->capture_default_str();
    verb.add_flag("--sweep", options.sweep, "R_S and |S| over alpha, tau, gamma and support rule");
    CLI::Option* crossFit =
        verb.add_flag("--cross-fit", options.crossFit,
                      "S for a prompt comes from the other prompts (default: where the dump marks no "
                      "splits and neither --train, --subset nor labels say where S is from)");
    verb.add_flag("--no-cross-fit", options.noCrossFit, "S comes from all prompts, those that are judged too")
        ->excludes(crossFit);
    addGroupingOptions(verb, options, "--bootstrap-replicates");
    addProtocolOption(verb, options);
    addPieceOptions(verb, options);
    addParamsOption(verb, options, "kernels, OAL labels as S, /positions");
    addBackendOptions(verb, options);
    addKernelParameterOptions(verb, options, kernelNames(), true);
    addOutOption(verb, options);
    addJsonOption(verb, options);
}

InterventionParams interventionFrom(const Options& options) {
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
    params.rankLimit = options.rankLimit;
    params.dose = options.dose;
    params.doseDraws = options.doseDraws;
    params.sweep = options.sweep;
    params.crossFit = options.crossFit;
    readControls(options, params);
    return params;
}

void completeFrom(const Options& options, const Inputs& inputs, const analysis::KernelFactory& factory,
                  InterventionParams& params, std::vector<analysis::Warning>& warnings) {
    const analysis::DumpInfo& info = inputs.source->info();
    params.selection = selectionFrom(options, info, {"evaluation"});
    params.calibration = promptsFrom("--train", options.train, info);
    if (options.train.empty() && options.subset.empty() && !options.noCrossFit)
        params.crossFit = params.crossFit || isCrossFitByDefault(info, params.selection, factory);
    params.positions = queryPositions(options, inputs, params.selection);
    if (options.protocol.empty()) {
        if (options.interventionSeeds.empty()) takeSeedsOfFile(factory, info, params);
        return;
    }
    takeProtocol(options, info, params, warnings);
}

}  // namespace dimscope::app
