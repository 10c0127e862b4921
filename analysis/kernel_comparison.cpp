// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/kernel_comparison.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/common_prompts.h"
#include "analysis/layer_comparison.h"
#include "analysis/row_sampling.h"
#include "analysis/run_record.h"
#include "kernels/error.h"

namespace dimscope::analysis {
namespace {

void describeParams(const ComparisonParams& params, const ComparisonResult& result, const KernelFactory& factory,
                    LayerIndex layer, Provenance& provenance) {
    std::vector<std::int64_t> seeds(params.seeds.begin(), params.seeds.end());
    std::vector<std::string> origins;
    for (const std::string& kernel : params.kernels)
        if (const std::string origin = factory.origin(kernel, layer); origin != "none")
            origins.push_back(kernel + "=" + origin);
    provenance.parameters = {{"kernels", params.kernels},
                             {"rows", static_cast<std::int64_t>(result.positions.front().size())},
                             {"positions", std::string(params.positions.empty() ? "drawn" : "given")},
                             {"seeds", seeds},
                             {"kernel_parameters", origins}};
}

/// What was asked for beyond the kernels themselves, and the gates that came of it.
void describeEvaluation(const EvaluationParams& params, const ComparisonResult& result, Provenance& provenance) {
    std::vector<std::string> gates;
    for (const KernelError& error : result.heads)
        if (error.gate)
            gates.push_back(fmt::format("{}.{} {}={}", error.layer.value, error.head.value, error.kernel, *error.gate));
    if (params.hasExactPart()) {
        provenance.parameters.emplace_back("exact_first", params.exactFirst);
        provenance.parameters.emplace_back("exact_window", params.exactWindow);
    }
    if (!gates.empty()) provenance.parameters.emplace_back("gates", std::move(gates));
    if (params.centreKeys) provenance.parameters.emplace_back("centre_keys", true);
}

/// Beside kernels with an exact part stand its two rests.
ComparisonParams withRests(ComparisonParams params) {
    if (!params.evaluation.hasExactPart()) return params;
    for (const char* rest : {"zero", "uniform"})
        if (std::find(params.kernels.begin(), params.kernels.end(), rest) == params.kernels.end())
            params.kernels.emplace_back(rest);
    return params;
}

void warnAboutExactOnly(const LayerInfo& layer, std::vector<Warning>& warnings) {
    const std::string place = "layer " + std::to_string(layer.layer.value);
    if (layer.softcap > 0.0)
        warnings.push_back(
            {"softcap", place, "the soft cap belongs to exact attention alone; kernels approximate exp(scale q.k)"});
    if (layer.hasSink)
        warnings.push_back(
            {"sink", place, "the sink logit belongs to exact attention alone; kernels approximate exp(scale q.k)"});
}

/// Per layer, then over all layers, in the order of the result's kernels.
void pool(const std::vector<LayerComparison>& parts, const std::vector<LayerInfo>& layers, ComparisonResult& result) {
    const auto entry = [](std::optional<LayerIndex> layer, const std::string& kernel, const ErrorSums& before,
                          const ErrorSums& after, bool hasAfter) {
        PooledError pooled{layer, kernel, before.mse(), before.relMse(), {}, {}};
        if (hasAfter) {
            pooled.mseAfterWo = after.mse();
            pooled.relMseAfterWo = after.relMse();
        }
        return pooled;
    };
    for (std::size_t n = 0; n < parts.size(); ++n)
        for (std::size_t k = 0; k < parts[n].kernels().size(); ++k)
            result.pooled.push_back(entry(layers[n].layer, parts[n].kernels()[k], parts[n].pooled()[k],
                                          parts[n].pooledAfterWo()[k], parts[n].hasAfterWo()));
    for (const std::string& kernel : result.kernels) {
        ErrorSums before, after;
        bool hasAfter = true;
        for (const LayerComparison& part : parts) {
            const auto found = std::find(part.kernels().begin(), part.kernels().end(), kernel);
            if (found == part.kernels().end()) continue;
            const auto k = static_cast<std::size_t>(found - part.kernels().begin());
            before += part.pooled()[k];
            after += part.pooledAfterWo()[k];
            hasAfter = hasAfter && part.hasAfterWo();
        }
        result.pooled.push_back(entry(std::nullopt, kernel, before, after, hasAfter));
    }
}

void checkParams(const ComparisonParams& params) {
    if (params.seeds.empty()) throw kernels::ArgumentError("no seed is given, expected at least one");
    for (const int seed : params.seeds)
        if (seed < 0) throw kernels::ArgumentError("seed " + std::to_string(seed) + ", expected 0 or more");
    if (params.evaluation.exactFirst < 0 || params.evaluation.exactWindow < 0)
        throw kernels::ArgumentError(fmt::format("{} first and {} latest exact keys, expected 0 or more",
                                                 params.evaluation.exactFirst, params.evaluation.exactWindow));
}

}  // namespace

const KernelError* ComparisonResult::find(LayerIndex layer, HeadIndex head, const std::string& kernel) const {
    for (const KernelError& error : heads)
        if (error.layer == layer && error.head == head && error.kernel == kernel) return &error;
    return nullptr;
}

ComparisonResult compareKernels(const ComparisonParams& asked, const KernelFactory& factory, HeadSource& dump,
                                kernels::Backend& backend, const RunControl& control, bool skipUnsupported) {
    CommonPrompts source(dump, asked.selection);
    checkParams(asked);
    const ComparisonParams params = withRests(asked);
    RunRecord record("compare", &backend, params.rowSeed);
    describe(params.selection, source.info(), record.provenance());
    const std::vector<LayerInfo> layers = selectedLayers(params.selection, source.info());

    ComparisonResult result;
    result.evaluation = params.evaluation;
    result.warnings = source.info().warnings;
    result.prompts = selectedPrompts(params.selection, source.info());
    Index length = selectedLength(params.selection, layers.front());
    for (const LayerInfo& layer : layers) length = std::min(length, selectedLength(params.selection, layer));
    result.positions =
        chosenRows(params.positions, result.prompts, source, length, params.rows, params.rowSeed, result.warnings);
    describeParams(params, result, factory, layers.front().layer, record.provenance());
    noteSettings(factory.settings(), params.kernels, record.provenance(), result.warnings);

    std::vector<LayerComparison> parts;
    for (const LayerInfo& layer : layers) {
        warnAboutExactOnly(layer, result.warnings);
        parts.emplace_back(params, factory, source, backend, layer, result).chooseKernels(skipUnsupported);
        for (const std::string& kernel : parts.back().kernels())
            if (std::find(result.kernels.begin(), result.kernels.end(), kernel) == result.kernels.end())
                result.kernels.push_back(kernel);
    }
    for (std::size_t n = 0; n < parts.size(); ++n) parts[n].run(control.part(n, parts.size()));
    pool(parts, layers, result);
    describeEvaluation(params.evaluation, result, record.provenance());
    result.provenance = record.finished();
    return result;
}

}  // namespace dimscope::analysis
