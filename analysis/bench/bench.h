// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/kernel_factory.h"
#include "analysis/table.h"
#include "kernels/backend.h"

namespace dimscope::analysis {

/// What is measured: whole sequences through an operator, query rows of a comparison, the same restricted to random
/// subsets of dimensions, the profile of a layer, or one calibration of one head.
enum class BenchJob { Operator, Compare, Subsets, Profile, Calibrate };

/// Throws ArgumentError; "operator", "compare", "subsets", "profile", "calibrate".
BenchJob benchJobFrom(std::string_view name);
std::string_view benchJobName(BenchJob job);

struct BenchParams {
    BenchJob job = BenchJob::Operator;
    std::vector<std::string> kernels;  ///< measured beside exact attention
    LayerIndex layer;
    PromptIndex prompt;
    std::vector<Index> positions;  ///< lengths measured: the first N positions of the layer
    int repeat = 9;                ///< timed passes, after one that is not
    int rows = 32;                 ///< query rows of BenchJob::Compare and BenchJob::Subsets
    int replicates = 100;          ///< random subsets per head of BenchJob::Subsets, four dimensions each
    int threads = 0;               ///< 0: all cores
    std::uint64_t seed = 0;
};

/// One measurement. Empty numbers were not or cannot be taken; a warning says why.
struct BenchRow {
    std::string kernel = {};  ///< "" where the job has none
    std::string backend = {};
    Index positions = 0;
    std::optional<double> ms = {}, msLeast = {};  ///< median and least of the timed passes
    std::optional<double> gflops = {};            ///< 1e9 counted operations (kernel_cost.h) in a second
    std::optional<std::int64_t> peakBytes = {};   ///< working memory of the operator, inputs and outputs not counted
    std::optional<double> ratioToExact = {};      ///< time over that of exact attention
    std::optional<double> error = {};  ///< |out - reference| / |reference| of the same kernel on sampled rows
};

struct BenchResult {
    BenchParams params;
    std::string shape;  ///< "9/3x64"
    std::vector<BenchRow> rows;
    std::vector<Warning> warnings;
    Provenance provenance;
};

/// Runs a job on one layer and prompt. With `skipUnsupported` a kernel that the layer cannot have is a warning. Throws
/// ArgumentError, ShapeError, FormatError, Cancelled.
BenchResult runBench(const BenchParams& params, const KernelFactory& factory, HeadSource& source,
                     kernels::Backend& backend, const RunControl& control, bool skipUnsupported = false);

/// One row per measurement.
Table benchTable(const BenchResult& result);

}  // namespace dimscope::analysis
