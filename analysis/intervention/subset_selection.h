// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/contribution_pieces.h"
#include "analysis/intervention/retained_error.h"

namespace dimscope::analysis {

/// Contributions as if one of their prompts had never been looked at. Throws ArgumentError where it is the only one.
ProfileResult withoutPrompt(const ProfileResult& profile, PromptIndex prompt);

/// Groups of every fold: one grouping for all evaluated prompts, or with `crossFit` one for each, from the profile
/// without it.
std::vector<GroupingResult> foldGroupings(const GroupingParams& params, const ProfileResult& profile,
                                          const std::vector<PromptIndex>& evaluated, bool crossFit,
                                          const RunControl& control);

/// S of every fold by the rule, or by the OAL labels of the factory's parameter file; groups serve oal where no file
/// has labels.
RetainedChoices chosenSubsets(const SubsetChoice& choice, const std::vector<GroupingResult>& groupings,
                              const HeadSubsets& labelled, const KernelFactory& factory);

/// Whether S is cross-fitted where a person says nothing about it: the dump marks no prompt, at least two are
/// evaluated, and no file has labels.
bool isCrossFitByDefault(const DumpInfo& info, const Selection& selection, const KernelFactory& factory);

Index sizeOf(const HeadSubsets& subsets);  ///< dimensions over all heads

}  // namespace dimscope::analysis
