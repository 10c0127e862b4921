// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "analysis/figure.h"
#include "io/axis_map.h"

namespace dimscope::io {

struct Tick {
    double value = 0.0;
    std::string label;
};

/// Positions that a person would choose: multiples of 1, 2 or 5 times a power of ten; on a log axis 0.5, 1, 2, 5, ...,
/// or powers of ten, whichever comes nearest to \p most ticks without more of them.
std::vector<double> chooseTicks(const AxisMap& map, int most);

/// Ticks of an axis with their texts: its own where it has some, chosen ones otherwise. The last percentage alone
/// carries the sign.
std::vector<Tick> axisTicks(const analysis::Axis& axis, const AxisMap& map, int most);

/// Texts of numbers that stand together: powers of ten are all written as such once one of them needs it.
std::vector<std::string> numberTexts(const std::vector<double>& values);

/// Three significant digits without trailing zeros (whole numbers below 10^5 in full), a real minus sign, 2.5 × 10⁻⁴
/// where digits would be too many.
std::string shortNumber(double value);

}  // namespace dimscope::io
