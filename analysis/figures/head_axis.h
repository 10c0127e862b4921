// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <utility>
#include <vector>

#include "analysis/figure.h"
#include "analysis/head_source.h"

namespace dimscope::analysis {

/// Makes x the axis of many heads side by side, head n at x = n. One layer: ticks name its heads. Several: one tick in
/// the middle of each layer, as many as have room, and a thin rule before each layer but the first.
void addHeadAxis(const std::vector<std::pair<LayerIndex, HeadIndex>>& heads, Panel& panel);

}  // namespace dimscope::analysis
