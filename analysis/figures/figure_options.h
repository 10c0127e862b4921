// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

namespace dimscope::analysis {

/// What the person has marked: brushed dimensions and the one under the pointer are highlighted in every figure.
struct FigureOptions {
    std::vector<int> brushed;
    int hovered = -1;
    bool foldPairs = false;  ///< RoPE partners stand side by side on the axis
    bool maximum = false;    ///< max |x| instead of mean |x|; has no spread over prompts, so no whiskers
};

}  // namespace dimscope::analysis
