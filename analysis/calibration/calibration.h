// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/kernel_factory.h"
#include "analysis/piece_store.h"
#include "analysis/selection.h"
#include "analysis/table.h"
#include "kernels/evaluation.h"

namespace dimscope::analysis {

enum class FitMethod { GaussNewton, Adam };

struct CalibrationParams {
    Selection selection;               ///< layers, heads, length; its prompts are not used
    std::vector<std::string> kernels;  ///< of calibratedKernels()
    FitMethod method = FitMethod::GaussNewton;
    std::vector<PromptIndex> train, validation;  ///< the same single prompt in both: every fourth row validates
    std::vector<PromptIndex> evaluation;         ///< judges the result once; empty: not judged
    int rows = 512;                              ///< query rows per prompt, where it is longer; 0: all
    int starts = 0;                              ///< 0: the method's own number (adam 3, gauss-newton 8)
    std::uint64_t seed = 0;
    int threads = 0;                    ///< heads at a time, 0: all cores; the result does not depend on it
    kernels::ExactPart exactPart = {};  ///< of fitExactPart; its gate is not looked at
};

/// What was fitted for one kernel of one head. Errors are mean squared errors of its output before W_o; NaN where they
/// were not taken.
struct KernelFit {
    LayerIndex layer;
    HeadIndex head;
    std::string kernel;
    kernels::KernelSpec spec;  ///< with the fitted parameters
    double startMse = kNaN;    ///< validation error without parameters (for global and oal: that of taylor)
    double trainMse = kNaN, validationMse = kNaN, evaluationMse = kNaN;
    int updates = 0;         ///< tried, over all starts
    int start = 0;           ///< ordinal of the start that won
    double seconds = 0.0;    ///< from the tensors to the parameters; an equal part each where heads share theirs
    bool cancelled = false;  ///< stopped early: the best so far
    std::optional<double> gate = {};  ///< of the exact part, where one was fitted
    double gateValidationMse = kNaN;  ///< validation error with it
};

struct CalibrationResult {
    CalibrationParams params;
    std::vector<KernelFit> fits;  ///< by layer, head and order of the kernels; heads not reached are not there
    bool cancelled = false;
    bool complete = true;  ///< false: a shard, whose own fits alone are here
    std::vector<Warning> warnings;
    Provenance provenance;

    const KernelFit* find(LayerIndex layer, HeadIndex head, const std::string& kernel) const;
};

/// Kernels that calibrateKernels can fit, and those that a method can. zeros_sm, linear_zeros and retnet have a closed
/// form, which is used whatever the method.
const std::vector<std::string>& calibratedKernels();
std::vector<std::string> calibratedKernels(FitMethod method);
/// Why a method cannot fit the others.
std::string_view refusalOf(FitMethod method);
FitMethod fitMethodFrom(std::string_view name);  ///< gauss-newton | adam; throws ArgumentError
std::string_view fitMethodName(FitMethod method);

/// Training and validation prompts where a person named none or some (cli.md): the splits of the dump, else all; the
/// last quarter of the training prompts validates where there is no split for it.
void choosePrompts(const DumpInfo& info, CalibrationParams& params);

/// Fits every kernel to exact attention, head by head (section 5.4). The factory gives what is not learned: groups and
/// draws. A cancelled run returns what it has. `store`: finished heads of an earlier run or of other shards; pieces
/// "fit/...", one deal per head. Throws ArgumentError, ShapeError, FormatError.
CalibrationResult calibrateKernels(const CalibrationParams& params, const KernelFactory& factory, HeadSource& source,
                                   const RunControl& control, PieceStore* store = nullptr);

/// One row per fit.
Table calibrationTable(const CalibrationResult& result);
/// Format 2. Heads of a layer that were not fitted keep the kernel of the factory.
kernels::ParameterSet calibratedParameters(const CalibrationResult& result, const KernelFactory& factory,
                                           const DumpInfo& info);

}  // namespace dimscope::analysis
