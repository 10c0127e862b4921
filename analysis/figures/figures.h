// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "analysis/figure.h"
#include "analysis/grouping.h"
#include "analysis/head_profile.h"
#include "analysis/kernel_comparison.h"

namespace dimscope::analysis {

/// What the person has marked: brushed dimensions and the one under the pointer are highlighted in every figure.
struct FigureOptions {
    std::vector<int> brushed;
    int hovered = -1;
    bool foldPairs = false;    ///< RoPE partners stand side by side on the axis
    bool maximum = false;      ///< max |x| instead of mean |x|
};

// Profile page
Figure magnitudeFigure(const ProfileResult&, const HeadProfile&, const LayerInfo&, const HeadGrouping*, const FigureOptions&);
Figure contributionFigure(const ProfileResult&, const HeadProfile&, const LayerInfo&, const HeadGrouping*, const FigureOptions&);
// Profile and Grouping page; the grouping adds cuts, candidate range and support bars
Figure sortedProfileFigure(const ProfileResult&, const HeadProfile&, const HeadGrouping*, const FigureOptions&);
/// |q| and |k| as token x dimension maps; rows reduced by their maximum above 1000.
/// \p query and \p key: one prompt's tensors, (positions, head_dim).
Figure tokenMapFigure(const HeadProfile&, PromptIndex, const kernels::TensorView& query, const kernels::TensorView& key,
                      const Provenance&);
// Grouping page
Figure supportFigure(const GroupingResult&, const HeadGrouping&);
/// Layers and heads of the result as rows, number of outlier dimensions as bars.
Figure outlierCountFigure(const GroupingResult&);
// Kernels page
Figure kernelErrorFigure(const ComparisonResult&, LayerIndex, HeadIndex);
Figure errorByPositionFigure(const ComparisonResult&, LayerIndex, HeadIndex, Index binWidth);
/// Exact weights, the kernel's, and their difference.
Figure weightsFigure(const ComparisonResult&, LayerIndex, HeadIndex, const std::string& kernel);
// Overview
Figure overviewFigure(const ProfileResult&, const DumpInfo&, const std::string& quantity);

/// Quantities that colour the overview: name and title, in menu order ("top5_chi": "Top-5 share of chi").
std::vector<std::pair<std::string, std::string>> overviewQuantities();
/// Value of one head; NaN where it has none.
double overviewValue(const HeadProfile&, const std::string& quantity);

/// Sentences made from the numbers, at most five, strongest first. "[...]" encloses words that name dimensions.
struct Finding {
    std::string text;
    std::vector<int> dimensions;  ///< highlighted when the person follows the sentence
};
std::vector<Finding> profileFindings(const HeadProfile&, const LayerInfo&, const HeadGrouping*);
std::vector<Finding> groupingFindings(const HeadGrouping&, const GroupingParams&);
std::vector<Finding> kernelFindings(const ComparisonResult&, LayerIndex, HeadIndex);

}  // namespace dimscope::analysis
