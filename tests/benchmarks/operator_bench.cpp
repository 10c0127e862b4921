// SPDX-License-Identifier: GPL-3.0-or-later
#include <benchmark/benchmark.h>

#include <cmath>
#include <random>

#include "kernels/attention_math.h"
#include "kernels/cpu/operator/sequence.h"

// Full-sequence operators on one layer of the shape of SmolLM2-135M, 2 threads, seeded N(0, 1); operator_torch.py runs
// PyTorch's forms beside them.

namespace dimscope::benchmarks {
namespace {

using namespace kernels;

constexpr Index kHeads = 9, kKvHeads = 3, kDim = 64;
constexpr int kGroups = 3, kThreads = 2;

class OperatorLayer {
public:
    explicit OperatorLayer(Index rows) {
        std::mt19937 generator(1);
        std::normal_distribution<float> normal;
        const auto fill = [&](std::vector<Matrix<float>>& tensors, Index count) {
            for (Index n = 0; n < count; ++n) {
                Matrix<float>& tensor = tensors.emplace_back(rows, kDim);
                for (float& x : tensor.values()) x = normal(generator);
            }
        };
        fill(query_, kHeads);
        fill(key_, kKvHeads);
        fill(value_, kKvHeads);
        fill(output_, kHeads);
        for (Index h = 0; h < kHeads; ++h) specs_.push_back(spec(generator));
    }
    cpu::SequenceHeads heads() {
        cpu::SequenceHeads heads;
        heads.scale = 1.0 / std::sqrt(static_cast<double>(kDim));
        for (const Matrix<float>& m : query_) heads.query.push_back(m.view());
        for (const Matrix<float>& m : key_) heads.key.push_back(m.view());
        for (const Matrix<float>& m : value_) heads.value.push_back(m.view());
        for (Matrix<float>& m : output_) heads.output.push_back(m.span());
        return heads;
    }
    const std::vector<Oal>& specs() const { return specs_; }

private:
    /// Four dimensions outside the bulk, two groups of two, and a random factor.
    static Oal spec(std::mt19937& generator) {
        std::normal_distribution<double> normal;
        Oal oal;
        oal.groups = kGroups;
        oal.label.assign(static_cast<std::size_t>(kDim), 0);
        for (int n = 0; n < 4; ++n) oal.label[static_cast<std::size_t>(generator() % kDim)] = 1 + n % 2;
        for (int n = 0; n < packedLength(kGroups + 1); ++n) oal.factor.push_back(0.3 * normal(generator));
        oal.factor[0] = 1.0;
        return oal;
    }
    std::vector<Matrix<float>> query_, key_, value_, output_;
    std::vector<Oal> specs_;
};

/// Bytes of inputs, outputs and workspace, in all and per position.
void countMemory(benchmark::State& state, Index rows, std::size_t workspaceBytes) {
    const double tensors = static_cast<double>((2 * kHeads + 2 * kKvHeads) * rows * kDim) * sizeof(float);
    state.counters["workspace_MB"] = static_cast<double>(workspaceBytes) / 1e6;
    state.counters["peak_MB"] = (tensors + static_cast<double>(workspaceBytes)) / 1e6;
    state.counters["bytes_per_position"] = (tensors + static_cast<double>(workspaceBytes)) / static_cast<double>(rows);
}

void exactAttention(benchmark::State& state) {
    OperatorLayer layer(state.range(0));
    const cpu::SequenceHeads heads = layer.heads();
    cpu::WorkerPool pool(kThreads);
    cpu::SequenceReport report;
    for (auto _ : state) report = cpu::attendExact(heads, pool, {});
    countMemory(state, state.range(0), report.workspaceBytes);
    state.SetLabel(report.lanes);
}

void quadraticOperator(benchmark::State& state) {
    OperatorLayer layer(state.range(0));
    const cpu::SequenceHeads heads = layer.heads();
    cpu::WorkerPool pool(kThreads);
    cpu::SequenceReport report;
    for (auto _ : state) report = cpu::attendQuadratic(heads, layer.specs(), nullptr, pool, {});
    countMemory(state, state.range(0), report.workspaceBytes);
    state.SetLabel(report.lanes);
}

void settings(benchmark::internal::Benchmark* bench) {
    bench->RangeMultiplier(2)
        ->Range(2048, 16384)
        ->Unit(benchmark::kMillisecond)
        ->UseRealTime()
        ->MeasureProcessCPUTime()
        ->MinTime(0.05)
        ->Repetitions(5)
        ->ReportAggregatesOnly();
}

// NOLINTBEGIN: the macros of the library name their objects
BENCHMARK(exactAttention)->Apply(settings);
BENCHMARK(quadraticOperator)->Apply(settings);
// NOLINTEND

}  // namespace
}  // namespace dimscope::benchmarks
