// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/figure.h"
#include "analysis/grouping.h"

namespace dimscope::analysis {

// Figures of the Grouping page.

/// Ratio and support of each candidate cut. Hover keys are the zero-based left ranks of the cuts.
Figure supportFigure(const GroupingResult& result, const HeadGrouping& head);
/// One bar per head of the result, layer after layer: its number of outlier dimensions.
/// Hover keys are positions in result.heads.
Figure outlierCountFigure(const GroupingResult& result);

}  // namespace dimscope::analysis
