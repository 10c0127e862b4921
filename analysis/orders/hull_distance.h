// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "analysis/kernel_factory.h"
#include "analysis/selection.h"
#include "analysis/table.h"
#include "kernels/backend.h"

namespace dimscope::analysis {

struct HullParams {
    Selection selection;
    std::vector<std::string> kernels;           ///< names; "softmax" is exact attention
    int rows = 32;                              ///< sampled query rows per prompt; 0: all valid rows
    std::vector<std::vector<Index>> positions;  ///< [P][R] instead of sampling, one row per selected prompt
    int seed = 0;                               ///< of the kernels
    std::uint64_t rowSeed = 0;
    int threads = 0;  ///< 0: as many as the machine has; the result does not depend on it
};

/// How far a kernel's outputs on one head lie from the convex hull of the values that their rows see, in units of the
/// RMS distance of these values from their mean. Rows whose visible values are all the same (one key) have no such
/// unit; they and rows that are bad for the kernel are left out.
struct HeadHull {
    LayerIndex layer;
    HeadIndex head;
    std::string kernel;
    bool usable = true;         ///< false: values that are not finite, or no row; numbers are NaN then
    double distance = kNaN;     ///< mean over rows
    double maxDistance = kNaN;  ///< over rows
    /// Share of rows farther than kOutsideTolerance times the longest visible value.
    double outsideShare = kNaN;
    double gap = kNaN;  ///< largest gap between the bounds of a distance, in the same units
    Index rows = 0, leftOut = 0;
};

/// Backends sum weighted values in float: of an output that is their mean with weights >= 0 this leaves some 1e-6 of
/// the longest value. Ten times that is called outside.
inline constexpr double kOutsideTolerance = 1e-5;

struct HullResult {
    std::vector<PromptIndex> prompts;
    std::vector<std::vector<Index>> positions;  ///< [P][R]
    std::vector<std::string> kernels;           ///< those evaluated
    std::vector<HeadHull> heads;                ///< layer after layer, kernel after kernel, head after head
    std::vector<Warning> warnings;
    Provenance provenance;
};

/// Distance of kernels' outputs to the convex hull of the visible values, min over the simplex of |o - V^T a|: 0 for
/// weights that are >= 0 and sum to 1, positive where weights are negative or do not. A kernel that a layer cannot have
/// is an error when it was named and a warning when `skipUnsupported`. Throws ArgumentError, ShapeError, FormatError,
/// Cancelled.
HullResult hullDistances(const HullParams& params, const KernelFactory& factory, HeadSource& source,
                         kernels::Backend& backend, const RunControl& control, bool skipUnsupported = false);

/// One row per layer, kernel and head.
Table hullTable(const HullResult& result);

}  // namespace dimscope::analysis
