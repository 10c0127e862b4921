// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "analysis/figure.h"
#include "analysis/kernel_comparison.h"

namespace dimscope::analysis {

// Pieces that the figures and sentences about kernels share.

/// Title of a kernel; its name where the catalogue lacks it.
std::string kernelTitle(const std::string& name);
/// The same beside an exact part, where the reference lines `zero` and `uniform` are its two rests.
std::string kernelTitle(const ComparisonResult& result, const std::string& name);
/// Reference lines of a comparison: `first_value`, `uniform`, `zero`, and beside an exact part its two rests alone.
std::vector<std::string> shownReferences(const ComparisonResult& result);
/// uniform, zero and first_value.
bool isReferenceLine(const std::string& name);
/// Position of a kernel in result.kernels, or -1.
int kernelKey(const ComparisonResult& result, const std::string& name);
/// Errors of one head, reference lines and exact attention left out, ascending in RelMSE, undefined ones last.
std::vector<const KernelError*> rankedKernels(const ComparisonResult& result, LayerIndex layer, HeadIndex head);

/// A logarithmic axis that shows all values but those far from the rest.
struct LogRange {
    double from = 0.5, to = 2.0;
    bool holds(double value) const { return value >= from && value <= to; }
};
/// \p values: those that are not finite and positive are ignored. Values above ten times the larger of 1 and the
/// median, and below a thousandth of the smaller of 1 and the median, are left off the axis.
LogRange sensibleRange(std::vector<double> values);

/// Frame of a figure of one head: name, title, caption, warnings, provenance.
Figure comparisonFigure(const std::string& stem, const std::string& title, const std::string& what,
                        const ComparisonResult& result, LayerIndex layer, HeadIndex head);
/// "32 rows": sampled rows per prompt.
std::string rowsText(const ComparisonResult& result);

}  // namespace dimscope::analysis
