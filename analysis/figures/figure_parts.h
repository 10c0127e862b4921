// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "analysis/figure.h"
#include "analysis/head_source.h"

namespace dimscope::analysis {

// Pieces that several figures share: texts, ticks, frames.

/// Three significant digits; "undefined" where there is no number.
std::string numberText(double value);
/// A share with three significant digits: "14.9 %".
std::string percentText(double share);
/// A share for sentences: "39 %", "7.1 %", "0.04 %".
std::string roundPercentText(double share);
/// "26, 58, 22".
std::string commaList(const std::vector<int>& values);
/// "22", "22 and 26", "22, 26 and 54".
std::string wordList(const std::vector<std::string>& words);
std::string wordList(const std::vector<int>& values);
/// "one", ..., "nine"; digits from 10.
std::string countText(std::size_t count);

/// "layer 15 · head 4".
std::string placeText(LayerIndex layer, HeadIndex head);
/// "magnitude-L15-H4".
std::string headStem(const std::string& what, LayerIndex layer, HeadIndex head);
/// " · N 512 · 4 prompts": the length, and with \p prompts 0 also their number, as the provenance tells them; nothing
/// about what it does not tell.
std::string extentText(const Provenance& provenance, std::size_t prompts);

/// Multiples of 1, 2 or 5 times a power of ten inside [from, to], at most \p most of them.
std::vector<double> niceTicks(double from, double to, int most = 5);
/// Whole numbers 0, step, 2 step, ... below count, and the last one where it has room: ticks of dimensions, heads,
/// layers.
std::vector<int> countTicks(int count, int most = 9);

/// A panel without marks that says in its middle why it is empty.
Panel emptyPanel(const std::string& why);

inline bool contains(const std::vector<int>& values, int value) {
    return std::find(values.begin(), values.end(), value) != values.end();
}
inline Ink inkOf(Role role) { return {role, {}}; }
inline Ink kernelInk(const std::string& kernel) { return {Role::Kernel, kernel}; }

}  // namespace dimscope::analysis
