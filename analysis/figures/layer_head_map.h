// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <string>
#include <utility>

#include "analysis/figure.h"
#include "analysis/head_source.h"

namespace dimscope::analysis {

/// One number per head of several layers; NaN where there is none.
using LayerHeadValues = std::map<std::pair<LayerIndex, HeadIndex>, double>;

/// A matrix with a row per layer and a column per head, hatched where a head has no number. Not empty.
Panel layerHeadPanel(const LayerHeadValues& values, HeatMap look);

}  // namespace dimscope::analysis
