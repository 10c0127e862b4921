// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

namespace dimscope::analysis {

// The strongest dimensions of a vector of contributions (head_dim): what concentration and stability have in common.

/// Dimensions of the `count` largest contributions, descending; of equal ones the higher number first, as in the order
/// of a profile. All of them where there are fewer.
std::vector<int> topDimensions(const std::vector<double>& chi, int count);
/// Contribution of these dimensions over that of all; NaN where the sum is 0 or not finite.
double shareOf(const std::vector<int>& dimensions, const std::vector<double>& chi);
/// Share of the `count` largest contributions.
double topShareOf(const std::vector<double>& chi, int count);
/// How many dimensions two lists have in common, over the length of the longer; NaN of nothing.
double overlapOf(const std::vector<int>& a, const std::vector<int>& b);
/// 1 / sum share^2; NaN where there are no shares.
double effectiveDimensions(const std::vector<double>& chi);
/// Lorenz curve (head_dim + 1): share of the n weakest dimensions for n = 0 .. head_dim; NaN where there are no shares.
std::vector<double> lorenzCurve(const std::vector<double>& chi);

}  // namespace dimscope::analysis
