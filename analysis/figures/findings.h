// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "analysis/grouping.h"
#include "analysis/head_profile.h"
#include "analysis/kernel_comparison.h"

namespace dimscope::analysis {

/// A sentence made from the numbers. "[...]" encloses the words that name dimensions or kernels; at most one pair.
/// "<i>...</i>" and "<sub>...</sub>" are markup as in a figure's texts.
struct Finding {
    std::string text;
    std::vector<int> dimensions;       ///< highlighted when the person follows the sentence
    std::vector<std::string> kernels;  ///< likewise, by name
};

// At most five sentences each, strongest first.
std::vector<Finding> profileFindings(const HeadProfile& head, const LayerInfo& layer, const HeadGrouping* grouping);
std::vector<Finding> groupingFindings(const HeadGrouping& head, const GroupingParams& params);
std::vector<Finding> kernelFindings(const ComparisonResult& result, LayerIndex layer, HeadIndex head);

}  // namespace dimscope::analysis
