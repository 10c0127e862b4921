// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "analysis/figures/kernel_figures.h"
#include "analysis/kernel_comparison.h"
#include "app/cli/inputs.h"
#include "app/cli/kernel_options.h"
#include "app/cli/lists.h"
#include "app/cli/text_table.h"
#include "app/cli/verbs.h"
#include "io/kernel_outputs.h"

namespace dimscope::app {
namespace {

using analysis::ComparisonParams;
using analysis::ComparisonResult;
using analysis::NumberStyle;

void addCompareOptions(CLI::App& verb, Options& options) {
    addFileOption(verb, options);
    addSelectionOptions(verb, options);
    addComparisonOptions(verb, options);
    addEvaluationOptions(verb, options);
    addParamsOption(verb, options, "kernels, draws and /positions");
    addBackendOptions(verb, options);
    addKernelParameterOptions(verb, options, kernelNames(), true);
    addOutOption(verb, options);
    addJsonOption(verb, options);
}

/// All that the command line says by itself.
ComparisonParams paramsFrom(const Options& options) {
    checkSelection(options);
    ComparisonParams params;
    params.kernels = kernelsFrom(options);
    params.rows = rowCount(options);
    params.seeds = parseSelection("--seeds", options.seeds);
    if (params.seeds.empty()) throw UsageError("--seeds 'all': expected numbers and ranges such as 0-4");
    params.rowSeed = options.seed;
    params.keepOutputs = !options.outputs.empty();
    return params;
}

Json errorJsonOf(const analysis::KernelError& error) {
    Json json{{"layer", error.layer.value},
              {"head", error.head.value},
              {"kernel", error.kernel},
              {"mse", numberJson(error.mse)},
              {"rel_mse", numberJson(error.relMse)},
              {"seeds", numbersJson(error.seedMse)},
              {"bad_rows", error.badRows}};
    if (error.gate) json["gate"] = numberJson(*error.gate);
    return json;
}

Json pooledJson(const analysis::PooledError& error) {
    return {{"layer", error.layer ? Json(error.layer->value) : Json("all")},
            {"kernel", error.kernel},
            {"mse", numberJson(error.mse)},
            {"rel_mse", numberJson(error.relMse)},
            {"mse_after_wo", numberJson(error.mseAfterWo)},
            {"rel_mse_after_wo", numberJson(error.relMseAfterWo)}};
}

Json documentOf(const ComparisonResult& result) {
    Json document{{"positions", result.positions}, {"results", Json::array()}, {"pooled", Json::array()}};
    for (const analysis::KernelError& error : result.heads) document["results"].push_back(errorJsonOf(error));
    for (const analysis::PooledError& error : result.pooled) document["pooled"].push_back(pooledJson(error));
    return document;
}

analysis::Cell cellOf(const std::optional<double>& value) {
    return value ? analysis::Cell(*value) : analysis::Cell(std::string("-"));
}

/// Pooled errors, smallest first in every layer.
std::string summary(const ComparisonResult& result) {
    std::vector<analysis::PooledError> errors = result.pooled;
    std::stable_sort(errors.begin(), errors.end(), [](const auto& a, const auto& b) {
        if (a.layer != b.layer) return a.layer && (!b.layer || *a.layer < *b.layer);
        return a.relMse < b.relMse;
    });
    analysis::Table table;
    table.columns = {column("layer", "layer"), column("kernel", "kernel"), column("mse", "MSE"),
                     column("rel_mse", "RelMSE", NumberStyle::Percent),
                     column("rel_mse_after_wo", "RelMSE after W_o", NumberStyle::Percent)};
    for (const analysis::PooledError& error : errors)
        addRow(table, {error.layer ? std::to_string(error.layer->value) : "all", error.kernel, error.mse, error.relMse,
                       cellOf(error.relMseAfterWo)});
    return alignedText(table);
}

bool ofOneHead(const ComparisonResult& result) {
    return !result.heads.empty() &&
           std::all_of(result.heads.begin(), result.heads.end(), [&](const analysis::KernelError& error) {
               return error.layer == result.heads.front().layer && error.head == result.heads.front().head;
           });
}

void writeOutputs(const ComparisonResult& result, const std::string& path) {
    std::vector<io::OutputArray> arrays;
    for (const analysis::KernelOutputs& outputs : result.outputs)
        arrays.push_back({outputs.layer, outputs.kernel, outputs.shape, outputs.values});
    io::writeKernelOutputs(path, result.positions, arrays);
}

VerbOutput runCompare(const Options& options, const kernels::RunControl& control) {
    ComparisonParams params = paramsFrom(options);
    const Inputs inputs = openInputs(options, control);
    const analysis::DumpInfo& info = inputs.source->info();
    params.selection = selectionFrom(options, info, {"evaluation"});
    params.evaluation = evaluationFrom(options, info);
    params.positions = queryPositions(options, inputs, params.selection);
    const analysis::KernelFactory factory(options.settings, inputs.parameters);
    ComparisonResult result =
        analysis::compareKernels(params, factory, *inputs.source, *inputs.backend, control, options.kernels == "all");
    noteParameters(inputs, result.provenance, result.warnings);
    control.throwIfCancelled();
    if (!options.outputs.empty()) writeOutputs(result, options.outputs);

    VerbOutput output;
    output.document = documentOf(result);
    output.text = summary(result);
    output.table = analysis::comparisonTable(result);
    output.warnings = result.warnings;
    if (wantsFigure(options) && ofOneHead(result))
        output.figure = analysis::kernelErrorFigure(result, result.heads.front().layer, result.heads.front().head);
    return output;
}

}  // namespace

Verb compareVerb() {
    return {"compare", "Exact attention against kernels at sampled query rows",
            "  dimscope-cli compare dump.h5 --layers 15 --kernels performer,taylor --seeds 0-4\n"
            "  dimscope-cli compare dump.h5 --rows all --out errors.tex\n"
            "  dimscope-cli compare dump.h5 --kernels oal,taylor --exact-first 1 --exact-window 64\n"
            "  dimscope-cli compare dump.h5 --params kernels.h5 --positions 0,17,200 --outputs y.h5 --json\n"
            "  dimscope-cli compare dump.h5 --kernels power,hedgehog --power-p 4 --hedgehog-variant fla",
            addCompareOptions, runCompare};
}

}  // namespace dimscope::app
