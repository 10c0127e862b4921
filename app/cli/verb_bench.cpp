// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "analysis/bench/bench.h"
#include "analysis/calibration/calibration.h"
#include "app/cli/bench_shape.h"
#include "app/cli/inputs.h"
#include "app/cli/kernel_options.h"
#include "app/cli/lists.h"
#include "app/cli/text_table.h"
#include "app/cli/verbs.h"
#include "app/core/layer_jobs.h"
#include "kernels/backend_registry.h"
#include "kernels/kernel_catalog.h"

namespace dimscope::app {
namespace {

using analysis::BenchJob;
using analysis::BenchParams;
using analysis::BenchResult;

constexpr std::int64_t kMostPositions = 1 << 22;

void addBenchOptions(CLI::App& verb, Options& options) {
    verb.add_option("FILE", options.file, "Attention dump (HDF5); without it seeded N(0, 1) tensors");
    verb.add_option("--job", options.job, "What is measured")
        ->check(CLI::IsMember({"operator", "compare", "profile", "subsets", "calibrate"}))
        ->capture_default_str();
    verb.add_option("--shape", options.shape, "Without FILE: heads/KV heads x dimensions")->capture_default_str();
    verb.add_option("--positions", options.positions, "Lengths N: 2048,4096 (default; of a FILE all positions)");
    verb.add_option("--layers", options.layers, "One layer of FILE; all: its first")->capture_default_str();
    verb.add_option("--prompts", options.prompts, "One prompt of FILE; default its first");
    verb.add_option("--kernels", options.kernels, "Kernels: a,b or all")->capture_default_str();
    verb.add_option("--rows", options.rows, "Query rows of --job compare and subsets")->capture_default_str();
    verb.add_option("--replicates", options.benchReplicates, "Random subsets per head of --job subsets")
        ->check(CLI::Range(1, 1'000'000))
        ->capture_default_str();
    verb.add_option("--repeat", options.repeat, "Timed passes, of which the median is taken")
        ->check(CLI::Range(1, 10'000))
        ->capture_default_str();
    addParamsOption(verb, options, "kernels and draws");
    addBackendOptions(verb, options);
    addKernelParameterOptions(verb, options, kernelNames(), true);
    addOutOption(verb, options);
    addJsonOption(verb, options);
}

BenchJob jobFrom(const Options& options) {
    const BenchJob job = analysis::benchJobFrom(options.job);
    if (options.backend != "cpu" && (job == BenchJob::Operator || job == BenchJob::Calibrate))
        throw UsageError("--backend " + options.backend + ": --job " + options.job + " runs on cpu only");
    return job;
}

/// Kernels that a job measures; "all" leaves the reference lines out.
std::vector<std::string> measuredKernels(const Options& options, BenchJob job) {
    std::vector<std::string> names = kernelsFrom(options);
    const bool all = options.kernels == "all";
    if (job == BenchJob::Profile) {
        if (!all) throw UsageError("--kernels: --job profile has no kernels");
        return {};
    }
    const std::vector<std::string> fitted = analysis::calibratedKernels(analysis::FitMethod::GaussNewton);
    const auto isFitted = [&](const std::string& name) {
        return std::find(fitted.begin(), fitted.end(), name) != fitted.end();
    };
    if (all)
        std::erase_if(names, [&](const std::string& name) {
            const kernels::KernelDescriptor& kernel = *kernels::findKernel(name);
            return kernel.referenceLine || (job == BenchJob::Calibrate && !isFitted(name)) ||
                   (job == BenchJob::Subsets && !kernel.properties.restrictable);
        });
    for (const std::string& name : names)
        if (job == BenchJob::Calibrate && !isFitted(name))
            throw UsageError("--kernels: --job calibrate does not fit '" + name + "'");
    return names;
}

/// One number of a list, or `otherwise` where none is given.
int single(std::string_view option, const std::string& text, int otherwise) {
    if (text.empty() || text == "all") return otherwise;
    const std::vector<int> numbers = parseSelection(option, text);
    if (numbers.size() != 1) throw UsageError(std::string(option) + " '" + text + "': expected one number");
    return numbers.front();
}

/// All that the command line says by itself; layer, prompt and default lengths of a file come later.
BenchParams benchFrom(const Options& options) {
    BenchParams params;
    params.job = jobFrom(options);
    params.kernels = measuredKernels(options, params.job);
    params.repeat = options.repeat;
    params.rows = static_cast<int>(parseInteger("--rows", options.rows, 1));
    params.replicates = options.benchReplicates;
    params.threads = options.threads;
    params.seed = options.seed;
    if (!options.positions.empty() || options.file.empty())
        params.positions = parseIntegers("--positions", options.positions.empty() ? "2048,4096" : options.positions);
    for (const analysis::Index positions : params.positions)
        if (positions < 1 || positions > kMostPositions)
            throw UsageError("--positions '" + options.positions + "': expected lengths from 1 to " +
                             std::to_string(kMostPositions));
    return params;
}

Inputs madeUpInputs(const Options& options, const BenchParams& params) {
    if (!options.params.empty()) throw UsageError("--params: parameters belong to a dump; give FILE as well");
    if (!options.prompts.empty() || options.layers != "all")
        throw UsageError("--layers and --prompts choose from a dump; give FILE as well");
    const analysis::BenchShape shape = benchShapeFrom("--shape", options.shape);
    Inputs inputs;
    inputs.backend = kernels::makeBackend(options.backend, {options.threads, options.device});
    inputs.source = std::make_shared<analysis::BenchSource>(
        shape, *std::max_element(params.positions.begin(), params.positions.end()), options.seed);
    return inputs;
}

/// The first prompt with a valid position.
int firstPrompt(const analysis::DumpInfo& info) {
    const auto usable = std::find_if(info.prompts.begin(), info.prompts.end(),
                                     [](const analysis::PromptInfo& prompt) { return !prompt.leftOut; });
    return usable == info.prompts.end() ? 0 : static_cast<int>(usable - info.prompts.begin());
}

/// The layer, the prompt and the lengths that are left open.
void fillFromDump(const Options& options, const analysis::DumpInfo& info, BenchParams& params) {
    params.layer = kernels::LayerIndex{single("--layers", options.layers, info.layers.front().layer.value)};
    params.prompt = kernels::PromptIndex{single("--prompts", options.prompts, firstPrompt(info))};
    const analysis::LayerInfo* layer = info.find(params.layer);
    if (params.positions.empty() && layer) params.positions = {layer->positions};
}

/// Groups of made-up tensors: the last four dimensions two by two, as outliers come.
void addMadeUpGroups(const analysis::LayerInfo& layer, analysis::KernelFactory& factory) {
    std::vector<int> labels(static_cast<std::size_t>(layer.headDim), 0);
    for (std::size_t n = 0; n < 4 && labels.size() > 4; ++n) labels[labels.size() - 4 + n] = n < 2 ? 1 : 2;
    for (int h = 0; h < layer.nHeads; ++h) factory.setGroups(layer.layer, kernels::HeadIndex{h}, labels);
}

void addGroups(const Options& options, const Inputs& inputs, const BenchParams& params,
               analysis::KernelFactory& factory, const kernels::RunControl& control) {
    const analysis::LayerInfo* layer = inputs.source->info().find(params.layer);
    if (!layer || std::find(params.kernels.begin(), params.kernels.end(), "oal") == params.kernels.end()) return;
    if (options.file.empty()) return addMadeUpGroups(*layer, factory);
    if (factory.origin("oal", params.layer) == "file") return;
    const analysis::Selection selection{{params.layer}, {}, {params.prompt}, 0};
    const auto profile = analysis::profileHeads(selection, *inputs.source, *inputs.backend, control.slice(0.0F, 0.5F));
    factory.setGroups(analysis::groupHeads(groupingFrom(options), profile, control.slice(0.5F, 1.0F)));
}

Json rowJson(const BenchResult& result, const analysis::BenchRow& row) {
    return {{"job", std::string(analysis::benchJobName(result.params.job))},
            {"kernel", row.kernel.empty() ? Json(nullptr) : Json(row.kernel)},
            {"backend", row.backend},
            {"shape", result.shape},
            {"positions", row.positions},
            {"ms", numberJson(row.ms)},
            {"ms_min", numberJson(row.msLeast)},
            {"gflops", numberJson(row.gflops)},
            {"peak_bytes", row.peakBytes ? Json(*row.peakBytes) : Json(nullptr)},
            {"ratio_to_exact", numberJson(row.ratioToExact)},
            {"error", numberJson(row.error)}};
}

VerbOutput runBenchVerb(const Options& options, const kernels::RunControl& control) {
    BenchParams params = benchFrom(options);
    const Inputs inputs = options.file.empty() ? madeUpInputs(options, params) : openInputs(options, control);
    fillFromDump(options, inputs.source->info(), params);
    analysis::KernelFactory factory(options.settings, inputs.parameters);
    addGroups(options, inputs, params, factory, control.slice(0.0F, 0.05F));
    BenchResult result = analysis::runBench(params, factory, *inputs.source, *inputs.backend,
                                            control.slice(0.05F, 1.0F), options.kernels == "all");
    noteParameters(inputs, result.provenance, result.warnings);

    VerbOutput output;
    output.document["rows"] = Json::array();
    for (const analysis::BenchRow& row : result.rows) output.document["rows"].push_back(rowJson(result, row));
    output.table = benchTable(result);
    output.text = alignedText(output.table);
    output.warnings = result.warnings;
    return output;
}

}  // namespace

Verb benchVerb() {
    return {"bench", "Time and memory on this machine, beside exact attention",
            "  dimscope-cli bench\n"
            "  dimscope-cli bench --shape 32/8x128 --positions 4096,16384 --kernels global,oal\n"
            "  dimscope-cli bench dump.h5 --job compare --kernels performer --performer-features 64 --json",
            addBenchOptions, runBenchVerb};
}

}  // namespace dimscope::app
