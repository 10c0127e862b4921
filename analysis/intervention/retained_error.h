// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "analysis/intervention/subset_choice.h"
#include "analysis/kernel_comparison.h"
#include "analysis/piece_store.h"

namespace dimscope::analysis {

/// Error of a kernel at the rows of one layer and prompt, averaged over heads, rows, coordinates and seeds (section 7).
struct RetainedCell {
    LayerIndex layer;
    PromptIndex prompt;
    double eS = kNaN;           ///< S approximated, the rest exact
    double eComplement = kNaN;  ///< S exact, the rest approximated; NaN: not asked for
    double eFull = kNaN;        ///< all dimensions approximated
    double energy = kNaN;       ///< mean square of the exact output
    Index badRows = 0;
    double ratio() const { return eFull > 0.0 ? eS / eFull : kNaN; }
};

/// The same of one head over all prompts.
struct RetainedHead {
    LayerIndex layer;
    HeadIndex head;
    std::string kernel;
    double eS = kNaN, eComplement = kNaN, eFull = kNaN;
    double ratio() const { return eFull > 0.0 ? eS / eFull : kNaN; }
};

/// How much of a kernel's error stays when only S is approximated.
struct RetainedRatio {
    double eS = kNaN, eComplement = kNaN, eFull = kNaN;  ///< means over the cells
    double ratio = kNaN;                                 ///< mean over the cells of E_S / E_full, the paper's
    double ratioComplement = kNaN;                       ///< mean over the cells of E_complement / E_full
    double ratioPooled = kNaN;                           ///< of the sums over the cells
    double ratioGeometric = kNaN;                        ///< exp of the mean logarithm over the cells
    double ratioHeadMedian = kNaN;                       ///< median over layers and heads
    std::optional<std::pair<double, double>> interval;   ///< of `ratio`, 95 %, sequences resampled; empty below 8
    std::vector<RetainedCell> cells;
};

struct RetainedMethod {
    std::string kernel;
    RetainedRatio retained;
};

/// What is approximated and by which kernels: chosen from some prompts.
struct RetainedChoice {
    HeadSubsets subsets;
    KernelFactory factory;
};
/// One choice for all prompts, or one for each of those evaluated, in their order: it is cross-fitted then.
using RetainedChoices = std::vector<RetainedChoice>;
inline std::size_t foldOf(const RetainedChoices& choices, std::size_t prompt) {
    return choices.size() == 1 ? 0 : prompt;
}

struct RetainedErrors {
    std::vector<RetainedMethod> methods;  ///< in the order of the kernels
    std::vector<RetainedHead> heads;
    std::vector<Warning> warnings;
};

struct RetainedParams {
    Selection selection;
    std::vector<PromptIndex> prompts;           ///< those evaluated
    std::vector<std::vector<Index>> positions;  ///< [P][R]
    std::vector<std::string> kernels;
    std::vector<int> seeds{0};
    Index length = 0;
    bool complement = true;
    std::uint64_t seed = 0;  ///< of the interval
};

/// Errors with S, its complement and all dimensions approximated. A head without dimensions in `subsets` has E_S = 0;
/// one with all has E_S = E_full. A head that is not finite is left out with a warning. Pieces "STAGE/L05/P0/H3", one
/// deal per layer and prompt, or all in `deal`; the result means nothing before `pieces` are complete. Throws
/// ShapeError (a kernel without a restriction), FormatError, Cancelled.
RetainedErrors retainedErrors(const RetainedParams& params, const RetainedChoices& choices, HeadSource& source,
                              kernels::Backend& backend, Pieces& pieces, const std::string& stage,
                              std::optional<std::size_t> deal, const RunControl& control);

/// Ratios from cells and heads.
RetainedRatio retainedRatio(std::vector<RetainedCell> cells, const std::vector<RetainedHead>& heads,
                            const std::vector<PromptIndex>& prompts, std::uint64_t seed);

/// The kernels of one head, one list per kernel with one entry per seed that makes a difference.
std::vector<std::vector<kernels::KernelSpec>> drawnKernels(const RetainedParams& params, const KernelFactory& factory,
                                                           const LayerInfo& layer, HeadIndex head,
                                                           std::vector<Warning>& warnings);

/// Key of what belongs to a head and prompt: "STAGE/L05/P0/H3".
std::string pieceKey(const std::string& stage, LayerIndex layer, PromptIndex prompt, HeadIndex head);

/// The dimensions of a subset as a mask of head_dim entries.
std::shared_ptr<const std::vector<std::uint8_t>> subsetMask(const std::vector<int>& subset, Index headDim);

}  // namespace dimscope::analysis
