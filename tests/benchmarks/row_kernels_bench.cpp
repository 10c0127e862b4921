// SPDX-License-Identifier: GPL-3.0-or-later
#include <benchmark/benchmark.h>

#include <array>

#include "analysis/bench/bench_source.h"
#include "analysis/kernel_factory.h"
#include "kernels/backend_registry.h"
#include "kernels/kernel_catalog.h"

// Kernels at 32 rows of heads of the shape of SmolLM2-135M at N = 4096, 2 threads, seeded N(0, 1); draws are made
// beforehand. compare_torch.py runs the kernels of a layer in PyTorch beside them.

namespace dimscope::benchmarks {
namespace {

using analysis::HeadIndex;
using analysis::Index;
using analysis::LayerIndex;
using kernels::KernelSpec;

class RowsOfALayer {
public:
    static constexpr Index kPositions = 4096, kRows = 32;
    static constexpr int kThreads = 2, kHeads = 9;

    RowsOfALayer() : source_(analysis::BenchShape{}, kPositions, 1) {
        for (Index n = 0; n < kRows; ++n) rows_.push_back((n + 1) * kPositions / kRows - 1);
        std::vector<int> labels(64, 0);  // four dimensions outside the bulk, two groups of two
        for (const std::size_t outlier : {5U, 20U}) labels[outlier] = 1;
        for (const std::size_t outlier : {33U, 48U}) labels[outlier] = 2;
        for (int head = 0; head < layer().nHeads; ++head) factory_.setGroups(layer().layer, HeadIndex{head}, labels);
    }
    void add(const std::string& kernel, int seeds) {
        for (int head = 0; head < layer().nHeads; ++head) {
            std::vector<analysis::Warning> ignored;
            for (int seed = 0; seed < seeds; ++seed)
                specs_[static_cast<std::size_t>(head)].push_back(
                    factory_.make(kernel, layer(), HeadIndex{head}, seed, ignored));
        }
    }
    void run(benchmark::State& state, int heads) {
        std::vector<kernels::RowsJob> jobs;
        for (int head = 0; head < heads; ++head)
            jobs.push_back({inputs(head), rows_, specs_[static_cast<std::size_t>(head)]});
        const auto backend = kernels::makeBackend("cpu", {kThreads});
        for (auto _ : state) benchmark::DoNotOptimize(backend->attendRows(jobs, {}));
    }

private:
    const analysis::LayerInfo& layer() const { return source_.info().layers.front(); }
    kernels::HeadInputs inputs(int head) {
        using analysis::TensorKind;
        const auto view = [&](TensorKind kind, int n) {
            return kernels::viewOf(source_.load(kind, layer().layer, analysis::PromptIndex{0}, n, {})->values);
        };
        kernels::HeadInputs inputs;
        const int kvHead = head * layer().nKvHeads / layer().nHeads;
        inputs.query = view(TensorKind::Query, head);
        inputs.key = view(TensorKind::Key, kvHead);
        inputs.value = view(TensorKind::Value, kvHead);
        inputs.scale = layer().scale;
        return inputs;
    }

    analysis::BenchSource source_;
    analysis::KernelFactory factory_;
    std::vector<Index> rows_;
    std::array<std::vector<KernelSpec>, kHeads> specs_;
};

// Exact attention and the six kernels of the papers, Performer with five seeds, for all nine heads.
void paperKernelsOfALayer(benchmark::State& state) {
    RowsOfALayer layer;
    layer.add("performer", 5);
    for (const char* kernel : {"softmax", "spectraformer", "dijiang", "taylorshift", "global", "oal"})
        layer.add(kernel, 1);
    layer.run(state, RowsOfALayer::kHeads);
}

// Each kernel by itself on one head, hence on one thread.
void kernelOfAHead(benchmark::State& state) {
    const std::string& kernel = kernels::kernelCatalog()[static_cast<std::size_t>(state.range(0))].name;
    RowsOfALayer layer;
    layer.add(kernel, 1);
    layer.run(state, 1);
    state.SetLabel(kernel);
}

// NOLINTBEGIN: the macros of the library name their objects
BENCHMARK(paperKernelsOfALayer)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->MeasureProcessCPUTime()
    ->MinTime(0.1)
    ->Repetitions(15)
    ->ReportAggregatesOnly();
BENCHMARK(kernelOfAHead)
    ->DenseRange(0, static_cast<int>(kernels::kernelCatalog().size()) - 1)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->MeasureProcessCPUTime()
    ->MinTime(0.1);
// NOLINTEND

}  // namespace
}  // namespace dimscope::benchmarks
