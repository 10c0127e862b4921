// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "analysis/figure.h"
#include "analysis/head_profile.h"

namespace dimscope::analysis {

/// Layers of the dump as rows, heads as columns, coloured by a quantity; NaN where a head has no value.
Figure overviewFigure(const ProfileResult& result, const DumpInfo& dump, const std::string& quantity);

/// Quantities that colour the overview: name and title, in menu order ("top5_chi": "Top-5 share of χ").
std::vector<std::pair<std::string, std::string>> overviewQuantities();
/// True for shares: shown in percent, colour bar fixed to 0..1.
bool overviewIsShare(const std::string& quantity);
/// Value of one head; NaN where it has none. Throws ArgumentError for an unknown quantity.
double overviewValue(const HeadProfile& head, const std::string& quantity);
/// The value as it stands on the screen: "38.6 %", "18.9", "undefined".
std::string overviewText(const HeadProfile& head, const std::string& quantity);

}  // namespace dimscope::analysis
