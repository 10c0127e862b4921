// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/fidelity/fidelity.h"
#include "analysis/figure.h"

namespace dimscope::analysis {

// Figures of the frozen comparison. Hover keys are positions in result.methods.

/// RelMSE of every kernel before and after W_o on a logarithmic axis: untrained and calibrated joined by a line, the
/// reference lines as rules.
Figure fidelityFigure(const FidelityResult& result);
/// RelMSE of single heads before and after W_o (there: this head alone replaced): every head, quartiles and median.
Figure fidelityHeadsFigure(const FidelityResult& result);

}  // namespace dimscope::analysis
