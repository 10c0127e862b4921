// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cmath>
#include <vector>

namespace dimscope::analysis {

/// What `value` says of the usable heads, without those that have no number.
template <class Head, class Value>
std::vector<double> headNumbers(const std::vector<Head>& heads, Value value) {
    std::vector<double> numbers;
    for (const Head& head : heads)
        if (const double number = value(head); head.usable && std::isfinite(number)) numbers.push_back(number);
    return numbers;
}

}  // namespace dimscope::analysis
