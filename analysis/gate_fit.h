// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/layer_evaluations.h"
#include "kernels/backend.h"

namespace dimscope::analysis {

/// One row of what a gate is fitted on: y = (a u + g b) / (a + g) against exact attention (section 13.6).
struct GateRow {
    std::span<const double> exact;      ///< (value_dim) output of exact attention
    std::span<const double> exactKeys;  ///< (value_dim) u: output over the exact keys
    std::span<const double> rest;       ///< (value_dim) b: output of the kernel over the rest
    double mass = 0.0;                  ///< a; infinite: no key is left to the kernel
};

/// The gate of least squared error: log g in [-20, 20], bracketed by a scan and narrowed down. 1 where there is no row.
double fitGate(const std::vector<GateRow>& rows);

/// One draw of a kernel on one head.
struct GatedKernel {
    std::size_t kernel;  ///< which gate it shares
    kernels::KernelSpec spec;
    kernels::Evaluation how;  ///< its gate is not looked at
};

/// Gates of one head, one per kernel ordinal in 0 .. count - 1, fitted on `rows` of every prompt; NaN for an ordinal
/// that no entry names. Throws Cancelled and what loading throws.
std::vector<double> fitGates(const std::vector<GatedKernel>& kernels, std::size_t count, const LayerInfo& layer,
                             HeadIndex head, const std::vector<PromptIndex>& prompts,
                             const std::vector<std::vector<Index>>& rows, Index length, HeadSource& source,
                             kernels::Backend& backend, const RunControl& control);

/// Mean squared error of one kernel as it is evaluated, gate included, over rows of every prompt; NaN of none.
double evaluatedMse(const GatedKernel& kernel, const LayerInfo& layer, HeadIndex head,
                    const std::vector<PromptIndex>& prompts, const std::vector<std::vector<Index>>& rows, Index length,
                    HeadSource& source, kernels::Backend& backend, const RunControl& control);

/// Query rows that gates are fitted on: `count` (0: all) drawn per training prompt, without those that are evaluated;
/// where nothing else is left these themselves, with a warning.
std::vector<std::vector<Index>> gateRows(const std::vector<PromptIndex>& train,
                                         const std::vector<PromptIndex>& evaluated,
                                         const std::vector<std::vector<Index>>& positions, HeadSource& source,
                                         Index length, int count, std::uint64_t seed, std::vector<Warning>& warnings);

}  // namespace dimscope::analysis
