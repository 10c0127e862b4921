// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/bench/bench.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/bench/bench_inputs.h"
#include "analysis/run_record.h"
#include "analysis/selection.h"
#include "kernels/error.h"

namespace dimscope::analysis {
namespace {

using kernels::ArgumentError;

void checkBench(const BenchParams& params, const LayerInfo& layer, const std::string& path) {
    if (params.repeat < 1) throw ArgumentError(fmt::format("repeat {}, expected 1 or more", params.repeat));
    if (params.rows < 1) throw ArgumentError(fmt::format("rows {}, expected 1 or more", params.rows));
    if (params.positions.empty()) throw ArgumentError("no length is given, expected at least one");
    for (const Index positions : params.positions)
        if (positions < 1 || positions > layer.positions)
            throw ArgumentError(fmt::format("{} positions, expected 1 to {}, as layer {} of {} has", positions,
                                            layer.positions, layer.layer.value, path));
    if (!layer.hasEveryQuery())
        throw ArgumentError(
            fmt::format("layer {} of {} has fewer queries than keys; times are measured with a query at "
                        "every position",
                        layer.layer.value, path));
    if (!layer.hasValue && params.job != BenchJob::Profile)
        throw kernels::FormatError({path, fmt::format("/layers/{:02}", layer.layer.value),
                                    "there is no v, so attention cannot be measured", "dump v beside q and k"});
}

void describeBench(const BenchResult& result, int threads, const std::string& path, Provenance& provenance) {
    const BenchParams& params = result.params;
    provenance.parameters = {{"job", std::string(benchJobName(params.job))},
                             {"kernels", params.kernels},
                             {"shape", result.shape},
                             {"positions", std::vector<std::int64_t>(params.positions.begin(), params.positions.end())},
                             {"repeat", std::int64_t{params.repeat}},
                             {"threads", std::int64_t{threads}},
                             {"tensors", std::string(path.empty() ? "N(0,1)" : "dump")}};
    if (params.job == BenchJob::Compare || params.job == BenchJob::Subsets)
        provenance.parameters.emplace_back("rows", std::int64_t{params.rows});
    if (params.job == BenchJob::Subsets)
        provenance.parameters.emplace_back("replicates", std::int64_t{params.replicates});
}

void runJob(const BenchInputs& inputs, kernels::SequenceOperators& operators, const RunControl& control) {
    switch (inputs.params.job) {
        case BenchJob::Operator: return benchOperators(inputs, operators, control);
        case BenchJob::Compare:
        case BenchJob::Subsets: return benchComparison(inputs, control);
        case BenchJob::Profile: return benchProfile(inputs, control);
        case BenchJob::Calibrate: return benchCalibration(inputs, control);
    }
}

}  // namespace

std::string_view benchJobName(BenchJob job) {
    switch (job) {
        case BenchJob::Operator: return "operator";
        case BenchJob::Compare: return "compare";
        case BenchJob::Subsets: return "subsets";
        case BenchJob::Profile: return "profile";
        case BenchJob::Calibrate: return "calibrate";
    }
    return {};
}

BenchJob benchJobFrom(std::string_view name) {
    for (const BenchJob job :
         {BenchJob::Operator, BenchJob::Compare, BenchJob::Subsets, BenchJob::Profile, BenchJob::Calibrate})
        if (benchJobName(job) == name) return job;
    throw ArgumentError(fmt::format("unknown job '{}', expected operator, compare, profile or calibrate", name));
}

BenchResult runBench(const BenchParams& params, const KernelFactory& factory, HeadSource& source,
                     kernels::Backend& backend, const RunControl& control, bool skipUnsupported) {
    const DumpInfo& info = source.info();
    const Selection selection{{params.layer}, {}, {params.prompt}, 0};
    const LayerInfo layer = selectedLayers(selection, info).front();
    selectedPrompts(selection, info);
    checkBench(params, layer, info.path);
    RunRecord record("bench", &backend, params.seed);
    if (!info.path.empty()) describe(selection, info, record.provenance());

    BenchResult result{.params = params,
                       .shape = fmt::format("{}/{}x{}", layer.nHeads, layer.nKvHeads, layer.headDim),
                       .rows = {},
                       .warnings = info.warnings,
                       .provenance = {}};
    kernels::SequenceOperators operators(params.threads);
    describeBench(result, operators.threads(), info.path, record.provenance());
    noteSettings(factory.settings(), params.kernels, record.provenance(), result.warnings);
    runJob({params, factory, source, layer, backend, skipUnsupported, result}, operators, control);
    result.provenance = record.finished();
    return result;
}

}  // namespace dimscope::analysis
