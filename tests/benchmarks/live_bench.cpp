// SPDX-License-Identifier: GPL-3.0-or-later
#include <benchmark/benchmark.h>

#include <algorithm>
#include <vector>

#include "analysis/bench/bench_source.h"
#include "app/core/layer_jobs.h"
#include "app/core/workspace.h"

namespace dimscope::benchmarks {
namespace {

using analysis::HeadIndex;
using analysis::LayerIndex;

constexpr analysis::Index kPositions = 4096;

/// Of single comparisons: what a person waits for, not a mean of several.
double percentile95(const std::vector<double>& times) {
    std::vector<double> sorted = times;
    std::sort(sorted.begin(), sorted.end());
    return sorted[(sorted.size() * 95 + 99) / 100 - 1];
}

// What the window computes, with its own calls, for a layer of the shape of SmolLM2-135M at N = 4096.
class Live : public benchmark::Fixture {
public:
    void SetUp(benchmark::State&) override {
        workspace_.adopt("bench.h5", std::make_shared<analysis::BenchSource>(analysis::BenchShape{}, kPositions, 1));
        app::Parameters parameters;
        parameters.draws = 1;
        workspace_.setParameters(parameters);
    }

protected:
    app::Workspace workspace_;
    std::shared_ptr<app::BackendSlot> slot_ = std::make_shared<app::BackendSlot>();
};

// Magnitudes, chi and effective chi of all nine heads; chi_torch.py does chi alone in PyTorch.
BENCHMARK_DEFINE_F(Live, profileOfALayer)(benchmark::State& state) {
    for (auto _ : state) {
        const app::JobContext context = workspace_.context(slot_);
        context.store->profiles.clear();
        benchmark::DoNotOptimize(app::profileLayer(context, workspace_.profileKey(LayerIndex{0}), {}));
    }
}

// Kernels on one head, 32 rows, one seed; groups and profile of the layer are there, as they are in the window.
class LiveComparison : public Live {
protected:
    void compare(benchmark::State& state, std::vector<std::string> kernels) {
        app::Parameters parameters = workspace_.parameters();
        parameters.kernels = std::move(kernels);
        workspace_.setParameters(parameters);
        const app::JobContext context = workspace_.context(slot_);
        app::groupLayer(context, workspace_.groupingKey(LayerIndex{0}), {});
        for (auto _ : state) {
            context.store->comparisons.clear();
            benchmark::DoNotOptimize(
                app::compareKernelsOf(context, workspace_.headComparisonKey({LayerIndex{0}, HeadIndex{4}}), {}));
        }
    }
};

BENCHMARK_DEFINE_F(LiveComparison, kernelsOfThePapers)(benchmark::State& state) {
    compare(state, {"performer", "spectraformer", "dijiang", "taylorshift", "taylor", "global", "oal"});
}
BENCHMARK_DEFINE_F(LiveComparison, everyKernel)(benchmark::State& state) { compare(state, {}); }

// NOLINTBEGIN: the macros of the library name their objects
BENCHMARK_REGISTER_F(Live, profileOfALayer)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->MinTime(0.1)
    ->Repetitions(15)
    ->ReportAggregatesOnly();
BENCHMARK_REGISTER_F(LiveComparison, kernelsOfThePapers)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->MinTime(0.1)
    ->Repetitions(15)
    ->ReportAggregatesOnly();
BENCHMARK_REGISTER_F(LiveComparison, everyKernel)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->Iterations(1)
    ->Repetitions(60)
    ->ComputeStatistics("p95", percentile95)
    ->ReportAggregatesOnly();
// NOLINTEND

}  // namespace
}  // namespace dimscope::benchmarks
