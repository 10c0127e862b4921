// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cuda/rows/row_batch.h"

#include <tuple>

namespace dimscope::kernels::cuda {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr std::size_t kLeastScratch = 64 * kMiB;
constexpr std::size_t kInputBytes = 64 * kMiB, kResultBytes = 64 * kMiB, kTaskBytes = 16 * kMiB;

}  // namespace

RowBatch::RowBatch(std::size_t scratchBytes)
    : scratch(scratchBytes, std::min(scratchBytes, kLeastScratch)),
      inputs(kInputBytes),
      results(kResultBytes),
      tasks_(kTaskBytes) {}

RowBatch::Mark RowBatch::mark() {
    Mark mark{{}, scratch.used(), inputs.used(), results.used()};
    std::size_t n = 0;
    stages.each([&](const auto& list) { mark.tasks[n++] = list.tasks().size(); });
    return mark;
}

void RowBatch::goBack(const Mark& mark) {
    std::size_t n = 0;
    stages.each([&](auto& list) { list.shrink(mark.tasks[n++]); });
    scratch.release(mark.scratch);
    inputs.release(mark.inputs);
    results.release(mark.results);
}

void RowBatch::checkTasks() {
    std::size_t bytes = 0;
    stages.each([&](const auto& list) { bytes += list.bytes(); });
    if (bytes > kTaskBytes / 2) throw BatchFull{};
}

template <class Task>
DeviceTasks<Task> RowBatch::onDevice(const TaskList<Task>& list) {
    return {tasks_.stage(std::span<const Task>(list.tasks())), static_cast<int>(list.tasks().size()), list.blocks()};
}

void RowBatch::run(cudaStream_t stream) {
    tasks_.release();
    const auto staged =
        std::tuple{onDevice(stages.selections),   onDevice(stages.statistics),  onDevice(stages.tokens),
                   onDevice(stages.wideTokens),   onDevice(stages.projections), onDevice(stages.wideProjections),
                   onDevice(stages.exponents),    onDevice(stages.maxima),      onDevice(stages.features),
                   onDevice(stages.wideFeatures), onDevice(stages.pairs),       onDevice(stages.widePairs),
                   onDevice(stages.weights),      onDevice(stages.valueParts),  onDevice(stages.valueSums)};
    tasks_.upload(stream);
    inputs.upload(stream);
    const auto& [selections, statistics, tokens, wideTokens, projections, wideProjections, exponents, maxima, features,
                 wideFeatures, pairs, widePairs, weights, valueParts, valueSums] = staged;
    launchMaps(selections, stream);
    launchStatistics(statistics, stream);
    launchMaps(tokens, stream);
    launchMaps(wideTokens, stream);
    launchProducts(projections, stream);
    launchProducts(wideProjections, stream);
    launchMaps(exponents, stream);
    launchStatistics(maxima, stream);
    launchMaps(features, stream);
    launchMaps(wideFeatures, stream);
    launchProducts(pairs, stream);
    launchProducts(widePairs, stream);
    launchWeights(weights, stream);
    launchValueParts(valueParts, stream);
    launchValueSums(valueSums, stream);
    results.download(stream);
    check(cudaStreamSynchronize(stream), "computing rows");
}

}  // namespace dimscope::kernels::cuda
