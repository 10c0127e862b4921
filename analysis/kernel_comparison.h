// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/evaluation_params.h"
#include "analysis/kernel_factory.h"
#include "analysis/selection.h"
#include "analysis/table.h"
#include "kernels/backend.h"

namespace dimscope::analysis {

struct ComparisonParams {
    Selection selection;
    std::vector<std::string> kernels;           ///< names; exact attention is always computed beside them
    int rows = 32;                              ///< sampled query rows per prompt; 0: all valid rows
    std::vector<std::vector<Index>> positions;  ///< [P][R] instead of sampling, one row per selected prompt
    std::vector<int> seeds{0};
    std::uint64_t rowSeed = 0;    ///< of the row sampling
    bool keepOutputs = false;     ///< exact and kernel outputs stay in the result
    bool keepWeights = false;     ///< weight rows of the first prompt stay in the result
    bool afterProjection = true;  ///< errors after W_o where the dump has it
    /// Kernels with an exact part stand beside its two rests: `zero` (no rest) and `uniform` (mean of the values).
    EvaluationParams evaluation;
};

/// Error of one kernel on one head, pooled over prompts, rows, value coordinates and seeds.
struct KernelError {
    LayerIndex layer;
    HeadIndex head;
    std::string kernel;
    double mse = 0.0;                         ///< NaN: no row left
    double relMse = 0.0;                      ///< sum |error|^2 / sum |exact|^2 over the same rows; NaN where that is 0
    std::vector<double> seedMse, seedRelMse;  ///< one entry per seed, one in all for a kernel without a draw
    Index badRows = 0;                        ///< (prompt, row, seed) left out
    std::optional<double> gate;               ///< of the exact part, where there is one
    std::vector<double> rowError, rowEnergy;  ///< [P * R], mean over seeds of |error|^2 and |exact|^2; NaN: bad
};

struct PooledError {
    std::optional<LayerIndex> layer;  ///< empty: all layers
    std::string kernel;
    double mse = 0.0, relMse = 0.0;
    std::optional<double> mseAfterWo, relMseAfterWo;  ///< empty: no W_o, or not all heads selected
};

/// [S, P, H, R, Dv], row major, of one kernel in one layer; S = 1 for a kernel without a draw.
struct KernelOutputs {
    LayerIndex layer;
    std::string kernel;
    std::vector<Index> shape;
    std::vector<double> values;
};

struct WeightRows {
    std::string kernel;
    std::shared_ptr<const kernels::Matrix<float>> weights;  ///< (rows, keys)
};

struct ComparisonResult {
    EvaluationParams evaluation;  ///< as asked for; with an exact part `zero` and `uniform` are its two rests
    std::vector<PromptIndex> prompts;
    std::vector<std::vector<Index>> positions;  ///< [P][R]
    std::vector<std::string> kernels;           ///< those evaluated, exact attention not among them unless asked for
    std::vector<KernelError> heads;
    std::vector<PooledError> pooled;     ///< per layer, then over all
    std::vector<KernelOutputs> outputs;  ///< softmax first; empty unless kept
    std::vector<WeightRows> weights;     ///< of the first head, prompt and seed; empty unless kept
    std::vector<Warning> warnings;
    Provenance provenance;

    const KernelError* find(LayerIndex layer, HeadIndex head, const std::string& kernel) const;
};

/// Exact attention against kernels at query rows. A kernel that a layer cannot have is an error when it was named
/// and a warning when `skipUnsupported`. Throws ArgumentError, ShapeError, FormatError, Cancelled.
ComparisonResult compareKernels(const ComparisonParams& params, const KernelFactory& factory, HeadSource& source,
                                kernels::Backend& backend, const RunControl& control, bool skipUnsupported = false);

/// One row per kernel and head: layer, head, kernel, mse, rel_mse, draws, bad_rows, and gate where a kernel has one.
Table comparisonTable(const ComparisonResult& result);
/// One row per kernel and layer (and "all"): before and after W_o.
Table pooledTable(const ComparisonResult& result);

}  // namespace dimscope::analysis
