// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/figure.h"

namespace dimscope {

// Figures made by hand that together use every mark. 64 dimensions; 22, 26, 54 and 58 stand out.

/// Bars in both directions with whiskers and labels, a divider, a zero line, bands.
analysis::Figure magnitudeSample();
/// Bars, a labelled uniform rule, arcs below the zero line.
analysis::Figure contributionSample();
/// Points on a log axis with labels, candidate band, cut line with texts; support bars in a second panel.
analysis::Figure sortedSample();
/// Rows of a dot plot on a log axis, seeds, reference rules, one value off the axis.
analysis::Figure dotRowsSample();
/// Seven lines with crowded end labels.
analysis::Figure linesSample();
/// Three heat maps above each other: two with a shared log scale, a signed difference.
analysis::Figure weightsSample();

}  // namespace dimscope
