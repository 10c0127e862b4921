// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/contribution/concentration.h"
#include "analysis/contribution/layer_magnitudes.h"
#include "analysis/contribution/stability.h"
#include "analysis/figures/findings.h"

namespace dimscope::analysis {

// At most five sentences each, strongest first; nothing about what has no number.
std::vector<Finding> concentrationFindings(const ConcentrationResult& result);
std::vector<Finding> stabilityFindings(const StabilityResult& result);
std::vector<Finding> layersFindings(const LayerMagnitudesResult& result);

}  // namespace dimscope::analysis
