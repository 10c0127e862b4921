// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/figure.h"
#include "analysis/figures/findings.h"
#include "analysis/intervention/intervention.h"

namespace dimscope::analysis {

// Figures and sentences of the Intervention page. Hover keys are positions in result.methods.

/// What the x axis of a dose curve counts.
enum class DoseAxis { Dimensions, ChiShare, VarianceShare };

/// One row per kernel, largest R_S first: R_S with its standard error over cells, under the Gaussian control (open) and
/// as the middle 95 % of random subsets (grey bar).
Figure retainedErrorFigure(const InterventionResult& result);

/// Histogram of R_b of one kernel with R_S as a line and p in words. A kernel without a finished control gives a figure
/// that says so.
Figure nullHistogramFigure(const SubsetControl& control, double observed, const Provenance& provenance);
/// The same of a control that is still running.
Figure nullHistogramFigure(const ReplicateSnapshot& snapshot, std::size_t kernel, const Provenance& provenance);

/// R against the dimensions taken in order of contribution, one line per kernel; for `randomOf` also mean and 95 % of
/// random orders.
Figure doseFigure(const InterventionResult& result, DoseAxis axis, const std::string& randomOf);

/// Standard deviation of the cells' ratios over the root of their number; NaN below two.
double standardErrorOf(const RetainedRatio& ratio);
/// "p at most 0.000999, no draw of 1000 reaches R_S".
std::string probabilityText(double p, std::size_t atLeast, std::size_t draws);

/// At most five sentences, strongest first.
std::vector<Finding> interventionFindings(const InterventionResult& result);

}  // namespace dimscope::analysis
