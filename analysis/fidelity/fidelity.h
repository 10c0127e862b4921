// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/evaluation_params.h"
#include "analysis/fidelity/fidelity_sums.h"
#include "analysis/kernel_factory.h"
#include "analysis/piece_store.h"
#include "analysis/selection.h"
#include "analysis/table.h"
#include "kernels/backend.h"

namespace dimscope::analysis {

/// How kernels with a linear-time form are evaluated at all rows; the others go row by row whatever stands here.
enum class FidelityPath { State, Pairwise };

struct FidelityParams {
    Selection selection;                        ///< layers, heads, length and the prompts that are evaluated
    std::vector<std::string> kernels;           ///< zero, uniform and first_value stand beside them anyway
    int rows = 0;                               ///< 0: all valid rows; else drawn per prompt, and evaluated row by row
    std::vector<std::vector<Index>> positions;  ///< [P][R] instead of sampling, one row per selected prompt
    std::vector<int> seeds{0};                  ///< draws of the kernels
    std::uint64_t seed = 0;                     ///< of rows and intervals
    int weightRows = 32;                        ///< rows per prompt that weights are compared at; 0: none
    FidelityPath path = FidelityPath::State;
    /// Its training prompts are also those that the parameters of a file are said to come from.
    EvaluationParams evaluation;
    int threads = 0;  ///< of the output projection, 0: all cores; the result does not depend on it
};

/// Error and its size against the exact output, over rows, heads and coordinates (kernel-math section 7).
struct MeanError {
    double mse = kNaN, relMse = kNaN;
};

/// A pooled error with what is known about its spread.
struct PooledFidelity {
    MeanError error;
    /// 95 % of relMse, sequences resampled; empty below 8 prompts.
    std::optional<std::pair<double, double>> interval;
    double sequenceError = kNaN;  ///< standard error of relMse over sequences; NaN for one prompt
    double rowError = kNaN;  ///< standard error of relMse for the rows that were not drawn; NaN where all are there
    double headQuartile1 = kNaN, headMedian = kNaN, headQuartile3 = kNaN;  ///< of the heads' relMse
};

struct WeightFidelity {
    double divergence = kNaN;      ///< mean KL(exact || kernel) in nats, over the rows where it is defined
    double undefinedShare = kNaN;  ///< of the rows: a weight that is 0 or negative where exact attention's is not
    double totalVariation = kNaN;  ///< mean of sum |p - w| / 2
    double topAgreement = kNaN;    ///< share of rows with the largest weight at the same key
    double rows = 0.0;
};

struct PromptFidelity {
    PromptIndex prompt;
    double relMse = kNaN;
    std::optional<double> relMseAfter;
};

struct MethodFidelity {
    FidelityMethod method;
    PooledFidelity before;
    std::optional<PooledFidelity> after;  ///< empty: no W_o, or not all heads selected and usable
    /// relMse of at least 1 before W_o: answering 0 is nearer. Empty where it is undefined, and for `zero` itself.
    std::optional<bool> worseThanZero;
    std::vector<PromptFidelity> prompts;
    WeightFidelity weights;
    Index badRows = 0;
};

/// One method in one layer.
struct LayerFidelity {
    LayerIndex layer;
    FidelityMethod method;
    MeanError before;
    std::optional<MeanError> after;
    /// Joint squared error after W_o less the sum of those with one head replaced at a time; means over rows and
    /// hidden coordinates.
    double joint = kNaN, singles = kNaN, cross = kNaN;
};

/// One method on one head.
struct HeadFidelity {
    LayerIndex layer;
    HeadIndex head;
    FidelityMethod method;
    MeanError before;
    double fvu = kNaN;               ///< error / sum |y - mean y|^2: the denominator centred on the head's mean output
    double cosine = kNaN;            ///< of all rows together: sum w.y / sqrt(sum |w|^2 sum |y|^2)
    double relMseScaled = kNaN;      ///< relMse after the best scale of the kernel's output, 1 - cosine^2
    std::optional<MeanError> after;  ///< this head alone replaced, against the energy of the whole projected output
    WeightFidelity weights;
    Index badRows = 0;
};

struct FidelityResult {
    bool complete = true;  ///< false: a shard; no method, layer or head is here
    std::vector<PromptIndex> prompts;
    std::vector<MethodFidelity> methods;
    std::vector<LayerFidelity> layers;  ///< by layer, methods within
    std::vector<HeadFidelity> heads;    ///< by layer and head, methods within
    std::vector<Warning> warnings;
    Provenance provenance;
};

/// The sums of every layer and prompt; one deal and one piece each, and one per layer that a shard computes anything
/// of. Throws ArgumentError, ShapeError, FormatError, Cancelled.
FidelitySums fidelitySums(const FidelityParams& params, const KernelFactory& factory, HeadSource& source,
                          kernels::Backend& backend, const RunControl& control, bool skipUnsupported = false,
                          PieceStore* store = nullptr);
/// What follows from the sums alone: of incomplete sums prompts and warnings. Its provenance is empty. `seed`: of the
/// intervals.
FidelityResult finishedFidelity(FidelitySums sums, std::uint64_t seed);

/// Frozen comparison of kernels with exact attention before and after W_o (kernel-math section 7): all valid rows by
/// default, kernels in linear time where they have such a form. Untrained kernels, and beside them those with the
/// parameters of the factory's file. A kernel that a layer cannot have is an error when it was named and a warning when
/// `skipUnsupported`. `store`: finished cells of an earlier run or of other shards. Throws ArgumentError, ShapeError,
/// FormatError, Cancelled.
FidelityResult frozenFidelity(const FidelityParams& params, const KernelFactory& factory, HeadSource& source,
                              kernels::Backend& backend, const RunControl& control, bool skipUnsupported = false,
                              PieceStore* store = nullptr);

/// One row per method: before and after W_o, spread over heads, weights.
Table fidelityTable(const FidelityResult& result);
/// One row per layer and method, with the cross term.
Table fidelityLayerTable(const FidelityResult& result);
/// One row per layer, head and method.
Table fidelityHeadTable(const FidelityResult& result);

/// The interval of relMse over sequences, "85.0 % to 91.2 %", or where they are too few for one the value of every
/// sequence, "85.0 %, 91.2 %"; empty where there is no error.
std::string sequencesText(const MethodFidelity& method, bool after);
/// "Taylor", "OAL, calibrated".
std::string methodTitle(const FidelityMethod& method);

}  // namespace dimscope::analysis
