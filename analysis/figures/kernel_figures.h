// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "analysis/figure.h"
#include "analysis/kernel_comparison.h"

namespace dimscope::analysis {

// Figures of the Kernels page. Hover keys are positions in result.kernels.

/// Dot plot: one row per kernel, nearest first under exact attention; reference lines are rules.
Figure kernelErrorFigure(const ComparisonResult& result, LayerIndex layer, HeadIndex head);
/// \p binWidth: query positions per bin, at least 1.
Figure errorByPositionFigure(const ComparisonResult& result, LayerIndex layer, HeadIndex head, Index binWidth);
/// Exact weights, the kernel's, and their difference. The result keeps the rows of its first head alone:
/// any other head, or a kernel without rows, gives a figure that says so.
Figure weightsFigure(const ComparisonResult& result, LayerIndex layer, HeadIndex head, const std::string& kernel);

/// Error pooled over the evaluated rows with from <= position < from + binWidth.
struct PositionBin {
    Index from = 0;
    Index rows = 0;       ///< finite (prompt, row) in it, > 0
    double relMse = 0.0;  ///< sum of error / sum of energy; NaN where the energy is 0
};
/// Bins that hold at least one row, ascending. \p positions: [P][R], as in the result.
std::vector<PositionBin> errorBins(const KernelError& error, const std::vector<std::vector<Index>>& positions,
                                   Index binWidth);

}  // namespace dimscope::analysis
