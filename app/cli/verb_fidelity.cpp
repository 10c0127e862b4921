// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include "analysis/fidelity/fidelity.h"
#include "analysis/figures/fidelity_figures.h"
#include "app/cli/inputs.h"
#include "app/cli/kernel_options.h"
#include "app/cli/lists.h"
#include "app/cli/piece_run.h"
#include "app/cli/text_table.h"
#include "app/cli/verbs.h"

namespace dimscope::app {
namespace {

using analysis::FidelityParams;
using analysis::FidelityResult;
using analysis::MeanError;
using analysis::NumberStyle;
using analysis::PooledFidelity;

void addFidelityOptions(CLI::App& verb, Options& options) {
    addFileOption(verb, options);
    addSelectionOptions(verb, options);
    verb.add_option("--kernels", options.fidelityKernels, "Kernels: a,b or all; zero, uniform and first_value always")
        ->capture_default_str();
    CLI::Option* rows =
        verb.add_option("--rows", options.fidelityRows, "Query rows: all, or how many are drawn per prompt");
    rows->capture_default_str();
    verb.add_option("--positions", options.positions, "Query positions of every prompt: 0,17,..")->excludes(rows);
    verb.add_option("--weight-rows", options.weightRows, "Query rows per prompt that weights are compared at")
        ->check(CLI::Range(0, 1 << 20))
        ->capture_default_str();
    verb.add_option("--path", options.fidelityPath, "How kernels with a linear-time form are evaluated at all rows")
        ->check(CLI::IsMember({"state", "pairwise"}))
        ->capture_default_str();
    verb.add_option("--seeds", options.seeds, "Draws of the kernels: 0-4")->capture_default_str();
    addEvaluationOptions(verb, options);
    addPieceOptions(verb, options);
    addParamsOption(verb, options, "calibrated kernels, draws and /positions");
    addBackendOptions(verb, options);
    addKernelParameterOptions(verb, options, kernelNames(), true);
    addOutOption(verb, options);
    addJsonOption(verb, options);
}

/// All that the command line says by itself.
FidelityParams fidelityParams(const Options& options) {
    checkSelection(options);
    Options own = options;
    own.kernels = options.fidelityKernels;
    own.rows = options.fidelityRows;
    FidelityParams params;
    params.kernels = kernelsFrom(own);
    params.rows = rowCount(own);
    params.seeds = parseSelection("--seeds", options.seeds);
    if (params.seeds.empty()) throw UsageError("--seeds 'all': expected numbers and ranges such as 0-4");
    params.seed = options.seed;
    params.weightRows = options.weightRows;
    params.path = options.fidelityPath == "state" ? analysis::FidelityPath::State : analysis::FidelityPath::Pairwise;
    params.threads = options.threads;
    return params;
}

Json meanJson(const MeanError& error) {
    return {{"mse", numberJson(error.mse)}, {"rel_mse", numberJson(error.relMse)}};
}

Json meanJson(const std::optional<MeanError>& error) { return error ? meanJson(*error) : Json(nullptr); }

Json pooledFidelityJson(const PooledFidelity& pooled) {
    Json json = meanJson(pooled.error);
    json["interval"] =
        pooled.interval ? Json{numberJson(pooled.interval->first), numberJson(pooled.interval->second)} : Json::array();
    json["standard_error"] = {{"sequences", numberJson(pooled.sequenceError)}, {"rows", numberJson(pooled.rowError)}};
    json["heads"] = {{"quartile1", numberJson(pooled.headQuartile1)},
                     {"median", numberJson(pooled.headMedian)},
                     {"quartile3", numberJson(pooled.headQuartile3)}};
    return json;
}

Json methodKeys(const analysis::FidelityMethod& method) {
    return {{"kernel", method.kernel}, {"calibrated", method.calibrated}};
}

void addWeights(const analysis::WeightFidelity& weights, Json& json) {
    json["weights"] = {{"kl", numberJson(weights.divergence)},
                       {"kl_undefined", numberJson(weights.undefinedShare)},
                       {"total_variation", numberJson(weights.totalVariation)},
                       {"top1", numberJson(weights.topAgreement)}};
}

Json methodJsonOf(const analysis::MethodFidelity& method) {
    Json json = methodKeys(method.method);
    json["path"] = method.method.path;
    json["before"] = pooledFidelityJson(method.before);
    json["after"] = method.after ? pooledFidelityJson(*method.after) : Json(nullptr);
    json["worse_than_zero"] = method.worseThanZero ? Json(*method.worseThanZero) : Json(nullptr);
    json["prompts"] = Json::array();
    for (const analysis::PromptFidelity& prompt : method.prompts)
        json["prompts"].push_back({{"prompt", prompt.prompt.value},
                                   {"rel_mse", numberJson(prompt.relMse)},
                                   {"rel_mse_after", numberJson(prompt.relMseAfter)}});
    addWeights(method.weights, json);
    json["bad_rows"] = method.badRows;
    return json;
}

Json layerJsonOf(const analysis::LayerFidelity& layer) {
    Json json{{"layer", layer.layer.value}};
    json.update(methodKeys(layer.method));
    json["before"] = meanJson(layer.before);
    json["after"] = meanJson(layer.after);
    return json;
}

Json crossJson(const analysis::LayerFidelity& layer) {
    Json json{{"layer", layer.layer.value}};
    json.update(methodKeys(layer.method));
    json["joint"] = numberJson(layer.joint);
    json["singles"] = numberJson(layer.singles);
    json["cross"] = numberJson(layer.cross);
    return json;
}

Json headFidelityJson(const analysis::HeadFidelity& head) {
    Json json{{"layer", head.layer.value}, {"head", head.head.value}};
    json.update(methodKeys(head.method));
    json.update(meanJson(head.before));
    json["fvu"] = numberJson(head.fvu);
    json["cosine"] = numberJson(head.cosine);
    json["rel_mse_scaled"] = numberJson(head.relMseScaled);
    json["after"] = meanJson(head.after);
    addWeights(head.weights, json);
    json["bad_rows"] = head.badRows;
    return json;
}

Json fidelityDocument(const FidelityResult& result, const FidelityParams& params) {
    Json document{{"rows", params.rows == 0 && params.positions.empty() ? Json("all") : Json(params.rows)},
                  {"methods", Json::array()},
                  {"layers", Json::array()},
                  {"cross_after", Json::array()},
                  {"heads", Json::array()}};
    if (!params.positions.empty()) document["rows"] = params.positions.front().size();
    for (const analysis::MethodFidelity& method : result.methods) document["methods"].push_back(methodJsonOf(method));
    for (const analysis::LayerFidelity& layer : result.layers) {
        document["layers"].push_back(layerJsonOf(layer));
        document["cross_after"].push_back(crossJson(layer));
    }
    for (const analysis::HeadFidelity& head : result.heads) document["heads"].push_back(headFidelityJson(head));
    return document;
}

std::string fidelitySummary(const FidelityResult& result, bool sampled) {
    analysis::Table table;
    table.columns = {column("kernel", "kernel"),
                     column("mse", "MSE"),
                     column("rel_mse", "RelMSE", NumberStyle::Percent),
                     column("sequences", result.prompts.size() < 8 ? "by sequence" : "95 % of sequences"),
                     column("median", "head median", NumberStyle::Percent),
                     column("after", "after W_o", NumberStyle::Percent),
                     column("sequences_after", result.prompts.size() < 8 ? "by sequence" : "95 % of sequences"),
                     column("top1", "same top key", NumberStyle::Percent),
                     column("path", "path")};
    if (sampled) table.columns.push_back(column("rows", "± rows", NumberStyle::Percent));
    std::string marks;
    for (const analysis::MethodFidelity& method : result.methods) {
        const std::string title = method.method.kernel + (method.method.calibrated ? ", calibrated" : "");
        std::vector<analysis::Cell> row{
            title,
            method.before.error.mse,
            method.before.error.relMse,
            sequencesText(method, false),
            method.before.headMedian,
            method.after ? analysis::Cell(method.after->error.relMse) : analysis::Cell(std::string("-")),
            sequencesText(method, true),
            method.weights.topAgreement,
            method.method.path};
        if (sampled) row.emplace_back(method.before.rowError);
        addRow(table, row);
        if (method.worseThanZero.value_or(false)) marks += (marks.empty() ? "" : "; ") + title;
    }
    std::string text = alignedText(table);
    if (!marks.empty()) text += "worse than predicting zero: " + marks + "\n";
    return text;
}

VerbOutput runFidelity(const Options& options, const kernels::RunControl& control) {
    checkPieces(options);
    FidelityParams params = fidelityParams(options);
    const Inputs inputs = openInputs(options, control);
    const analysis::DumpInfo& info = inputs.source->info();
    params.selection = selectionFrom(options, info, {"evaluation"});
    params.evaluation = evaluationFrom(options, info);
    params.positions = queryPositions(options, inputs, params.selection);
    const analysis::KernelFactory factory(options.settings, inputs.parameters);
    const std::shared_ptr<PieceFile> store = openPieces(options, inputs);
    FidelityResult result = withPieces(store, [&](analysis::PieceStore* pieces) {
        return analysis::frozenFidelity(params, factory, *inputs.source, *inputs.backend, control,
                                        options.fidelityKernels == "all", pieces);
    });
    noteParameters(inputs, result.provenance, result.warnings);
    if (!result.complete || !options.shard.empty())
        return shardOutput(options, *store, result.provenance, result.warnings);

    VerbOutput output;
    output.document = fidelityDocument(result, params);
    output.text = fidelitySummary(result, params.rows > 0 || !params.positions.empty());
    output.table = analysis::fidelityTable(result);
    output.warnings = result.warnings;
    if (wantsFigure(options)) output.figure = analysis::fidelityFigure(result);
    return output;
}

}  // namespace

Verb fidelityVerb() {
    return {"fidelity", "Kernels in place of exact attention at all rows, before and after the output projection",
            "  dimscope-cli fidelity dump.h5 --params kernels.h5\n"
            "  dimscope-cli fidelity dump.h5 --layers 15 --kernels oal,taylor --rows 64 --seeds 0-4\n"
            "  dimscope-cli fidelity dump.h5 --prompts split:evaluation --out fidelity.tex\n"
            "  dimscope-cli fidelity dump.h5 --kernels all --shard 1/8 --out part1.json",
            addFidelityOptions, runFidelity};
}

}  // namespace dimscope::app
