// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/intervention/subset_selection.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/error.h"

namespace dimscope::analysis {

ProfileResult withoutPrompt(const ProfileResult& profile, PromptIndex prompt) {
    const auto found = std::find(profile.prompts.begin(), profile.prompts.end(), prompt);
    if (found == profile.prompts.end()) return profile;
    if (profile.prompts.size() == 1)
        throw kernels::ArgumentError(fmt::format(
            "prompt {} is the only one that S comes from, so that nothing is left when it is left out", prompt.value));
    const auto out = static_cast<Index>(found - profile.prompts.begin());
    ProfileResult rest;
    for (const PromptIndex kept : profile.prompts)
        if (kept != prompt) rest.prompts.push_back(kept);
    const auto count = static_cast<Index>(rest.prompts.size());
    for (const HeadProfile& head : profile.heads) {
        HeadProfile kept;
        kept.layer = head.layer;
        kept.head = head.head;
        kept.nonFinite = head.nonFinite;
        kept.chi.assign(head.chi.size(), 0.0);
        kept.chiPrompts = kernels::Matrix<double>(count, static_cast<Index>(head.chi.size()));
        for (Index p = 0; p < count; ++p)
            for (Index r = 0; r < kept.chiPrompts.cols(); ++r) {
                kept.chiPrompts(p, r) = head.chiPrompts(p < out ? p : p + 1, r);
                kept.chi[static_cast<std::size_t>(r)] += kept.chiPrompts(p, r) / static_cast<double>(count);
            }
        rest.heads.push_back(std::move(kept));
    }
    return rest;
}

std::vector<GroupingResult> foldGroupings(const GroupingParams& params, const ProfileResult& profile,
                                          const std::vector<PromptIndex>& evaluated, bool crossFit,
                                          const RunControl& control) {
    std::vector<GroupingResult> groupings;
    if (!crossFit) groupings.push_back(groupHeads(params, profile, control));
    for (std::size_t p = 0; crossFit && p < evaluated.size(); ++p)
        groupings.push_back(
            groupHeads(params, withoutPrompt(profile, evaluated[p]), control.part(p, evaluated.size())));
    return groupings;
}

RetainedChoices chosenSubsets(const SubsetChoice& choice, const std::vector<GroupingResult>& groupings,
                              const HeadSubsets& labelled, const KernelFactory& factory) {
    RetainedChoices choices;
    for (const GroupingResult& grouping : groupings) {
        RetainedChoice fold{chooseSubsets(choice, grouping), factory};
        for (const auto& [place, subset] : labelled)
            if (fold.subsets.contains(place)) fold.subsets[place] = subset;
        fold.factory.setGroups(grouping);
        choices.push_back(std::move(fold));
    }
    return choices;
}

bool isCrossFitByDefault(const DumpInfo& info, const Selection& selection, const KernelFactory& factory) {
    const bool marked =
        std::any_of(info.prompts.begin(), info.prompts.end(), [](const auto& prompt) { return !prompt.split.empty(); });
    const bool labelled =
        factory.parameters() && !labelledSubsets(*factory.parameters(), selectedLayers(selection, info)).empty();
    return !marked && !labelled && selectedPrompts(selection, info).size() > 1;
}

Index sizeOf(const HeadSubsets& subsets) {
    Index size = 0;
    for (const auto& [place, subset] : subsets) size += static_cast<Index>(subset.size());
    return size;
}

}  // namespace dimscope::analysis
