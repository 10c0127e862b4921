// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/figure.h"
#include "analysis/figures/findings.h"
#include "analysis/intervention/retained_rows.h"

namespace dimscope::analysis {

// Figures and sentences of the Intervention page. Hover keys are positions in result.methods.

/// What the x axis of a dose curve counts.
enum class DoseAxis { Dimensions, ChiShare, VarianceShare };

/// One row per kernel, largest R_S first: R_S with its standard error over cells, under the Gaussian control (open) and
/// as the middle 95 % of random subsets (grey bar).
Figure retainedErrorFigure(const InterventionResult& result);

/// Histogram of R_b of one kernel with R_S as a line and p in words, also of a control that is still running. A kernel
/// without a replicate gives a figure that says so.
Figure nullHistogramFigure(const InterventionResult& result, std::size_t method);

/// R against the dimensions taken in order of contribution, one line per kernel; `chosen` is emphasised and has the
/// mean and 95 % of random orders too.
Figure doseFigure(const InterventionResult& result, DoseAxis axis, const std::string& chosen);

/// Position in result.methods of the largest R_S; nothing where no ratio is defined.
std::optional<std::size_t> largestMethod(const InterventionResult& result);

/// "154 ± 26", "0.157 ± 0.023": percentages without the sign, two digits of the error; without an error "154".
std::string percentWithError(double share, double error);
std::string percentNumber(double share);
/// All of a row in words.
std::string retainedText(const RetainedRow& row);
/// "p at most 0.000999, no draw of 1000 reaches R_S".
std::string probabilityText(double p, std::size_t atLeast, std::size_t draws);
/// "< 0.001", "0.0024": at most.
std::string shortProbability(double p);

/// "Layers 5 15 25 · all heads".
std::string interventionExtent(const InterventionResult& result);
/// "27 heads · S from grouping, mean |S| 3.52 · N 512".
std::string interventionDetails(const InterventionResult& result);

/// At most five sentences, strongest first.
std::vector<Finding> interventionFindings(const InterventionResult& result);

}  // namespace dimscope::analysis
