// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "analysis/grouping.h"
#include "kernels/parameter_set.h"

namespace dimscope::analysis {

/// A query head of a layer.
using HeadPlace = std::pair<LayerIndex, HeadIndex>;
/// Dimensions of every head, ascending. A head that is not there has none.
using HeadSubsets = std::map<HeadPlace, std::vector<int>>;

/// Where the high-contribution dimensions S come from.
struct SubsetChoice {
    enum class Kind { Grouping, Top, Share, Listed };
    Kind kind = Kind::Grouping;
    int top = 0;         ///< Top: so many of largest chi
    double share = 0.0;  ///< Share: the fewest of largest chi that hold this share of it
    HeadSubsets listed;  ///< Listed
};

/// S of every head of a grouping by the rule; ties by the order of the grouping. Throws ArgumentError (top, share or a
/// listed dimension outside the head).
HeadSubsets chooseSubsets(const SubsetChoice& choice, const GroupingResult& grouping);

/// The groups but the first of the OAL labels of a parameter file, where it has them for a layer.
HeadSubsets labelledSubsets(const kernels::ParameterSet& parameters, const std::vector<LayerInfo>& layers);

/// As many dimensions of largest chi per head as `sizes` has there.
HeadSubsets topOfSameSize(const GroupingResult& grouping, const HeadSubsets& sizes);

}  // namespace dimscope::analysis
