// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>

#include "kernels/cuda/rows/device_arena.h"
#include "kernels/cuda/rows/map_tokens.cuh"
#include "kernels/cuda/rows/multiply.cuh"
#include "kernels/cuda/rows/sequence_statistics.cuh"
#include "kernels/cuda/rows/sum_values.cuh"
#include "kernels/cuda/rows/weigh_rows.cuh"

namespace dimscope::kernels::cuda {

/// What many kernels at many heads need, stage by stage: every stage is one launch for all of them.
struct RowStages {
    TaskList<MapTask<float, float>> selections;   ///< centred and restricted tensors
    TaskList<StatisticTask> statistics;           ///< of whole sequences
    TaskList<MapTask<float, float>> tokens;       ///< features straight from tokens
    TaskList<MapTask<float, double>> wideTokens;  ///< the same for kernels that float cannot hold
    TaskList<Product<float, float>> projections;
    TaskList<Product<double, double>> wideProjections;
    TaskList<MapTask<float, float>> exponents;  ///< largest exponents of tokens, then of all keys
    TaskList<StatisticTask> maxima;
    TaskList<MapTask<float, float>> features;  ///< features from projections
    TaskList<MapTask<double, double>> wideFeatures;
    TaskList<Product<float, double>> pairs;
    TaskList<Product<double, double>> widePairs;
    TaskList<WeighTask> weights;
    TaskList<ValueTask> valueParts, valueSums;

    template <class Step>
    void each(Step step) {
        step(selections), step(statistics), step(tokens), step(wideTokens), step(projections), step(wideProjections);
        step(exponents), step(maxima), step(features), step(wideFeatures), step(pairs), step(widePairs);
        step(weights), step(valueParts), step(valueSums);
    }
    static constexpr std::size_t kCount = 15;
};

/// Where the results of one kernel at rows of one head will be.
struct RowPlace {
    const double* values = nullptr;       ///< (rows, value_dim)
    const std::uint8_t* state = nullptr;  ///< (rows) RowState
    const double* mass = nullptr;         ///< (rows)
    const float* weights = nullptr;       ///< (rows, stride) in `scratch`
    std::int64_t stride = 0, keys = 0;
};

/// Work that runs together, its inputs, memory and results.
class RowBatch {
public:
    /// Throws OutOfMemory, DeviceError.
    explicit RowBatch(std::size_t scratchBytes);

    RowStages stages;
    DeviceArena scratch;
    MirroredArena inputs, results;

    /// A point to go back to where the next kernel does not fit.
    struct Mark {
        std::array<std::size_t, RowStages::kCount> tasks{};
        std::size_t scratch = 0, inputs = 0, results = 0;
    };
    Mark mark();
    void goBack(const Mark& mark);
    /// Throws BatchFull where no more tasks can be told to the device at once.
    void checkTasks();

    /// Runs everything and waits; results are then in the mirror. Throws DeviceError.
    void run(cudaStream_t stream);
    /// Ready for the next.
    void clear() { goBack({}); }

private:
    template <class Task>
    DeviceTasks<Task> onDevice(const TaskList<Task>& list);
    MirroredArena tasks_;
};

}  // namespace dimscope::kernels::cuda
