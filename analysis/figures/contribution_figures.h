// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "analysis/contribution/concentration.h"
#include "analysis/contribution/layer_magnitudes.h"
#include "analysis/contribution/stability.h"
#include "analysis/figure.h"

namespace dimscope::analysis {

// Figures of concentration, stability and layers. A head without numbers gives a figure that says so. Hover keys are
// dimensions, in a figure of many heads positions in result.heads, in that of layers model layers.

/// Lorenz curve of one head, the isotropic draws' mean and range beside it, and the line of equal shares.
Figure lorenzFigure(const ConcentrationResult& result, const HeadConcentration& head);
/// Top-5 share of every head over the range of the isotropic draws.
Figure topShareFigure(const ConcentrationResult& result);

/// chi of one part of the prompts over that of the other, log-log, agreement in words.
Figure contributionScatterFigure(const StabilityResult& result, const HeadStability& head);
/// Shares of chi in both parts of the prompts, dimension by dimension.
Figure contributionOverlayFigure(const StabilityResult& result, const HeadStability& head);
/// Share of the strongest dimensions against prefix length, their sum dashed, and the sum selected at each length.
Figure prefixShareFigure(const StabilityResult& result, const HeadStability& head);
/// "nearly the same order", ..., "undefined": Spearman's rho in words.
std::string rankAgreementText(double rho);

/// Three largest and median magnitude against the layer: one panel per tensor that the dump has.
Figure layerMagnitudesFigure(const LayerMagnitudesResult& result);

}  // namespace dimscope::analysis
