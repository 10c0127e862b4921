// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/intervention/subset_choice.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/parameter_reader.h"
#include "kernels/error.h"

namespace dimscope::analysis {
namespace {

std::vector<int> strongestOf(const HeadGrouping& head, std::size_t count) {
    std::vector<int> chosen(head.order.end() - static_cast<std::ptrdiff_t>(count), head.order.end());
    std::sort(chosen.begin(), chosen.end());
    return chosen;
}

std::vector<int> holdingShare(const HeadGrouping& head, double share) {
    double total = 0.0, held = 0.0;
    for (const double chi : head.chi) total += chi;
    std::size_t count = 0;
    while (count < head.order.size() && held < share * total)
        held += head.chi[static_cast<std::size_t>(head.order[head.order.size() - ++count])];
    return strongestOf(head, count);
}

std::vector<int> listedFor(const SubsetChoice& choice, const HeadGrouping& head) {
    const auto found = choice.listed.find({head.layer, head.head});
    if (found == choice.listed.end()) return {};
    for (const int r : found->second)
        if (r < 0 || r >= static_cast<int>(head.chi.size()))
            throw kernels::ArgumentError(fmt::format("layer {} head {}: dimension {}, expected 0..{}", head.layer.value,
                                                     head.head.value, r, head.chi.size() - 1));
    return found->second;
}

}  // namespace

HeadSubsets chooseSubsets(const SubsetChoice& choice, const GroupingResult& grouping) {
    HeadSubsets subsets;
    for (const HeadGrouping& head : grouping.heads) {
        if (!head.usable) continue;
        std::vector<int>& chosen = subsets[{head.layer, head.head}];
        switch (choice.kind) {
            case SubsetChoice::Kind::Grouping: chosen = head.outliers; break;
            case SubsetChoice::Kind::Top:
                if (choice.top < 0 || choice.top > static_cast<int>(head.chi.size()))
                    throw kernels::ArgumentError(
                        fmt::format("top {} dimensions, expected 0..{}", choice.top, head.chi.size()));
                chosen = strongestOf(head, static_cast<std::size_t>(choice.top));
                break;
            case SubsetChoice::Kind::Share:
                if (!(choice.share >= 0.0 && choice.share <= 1.0))
                    throw kernels::ArgumentError(fmt::format("share {} of chi, expected 0..1", choice.share));
                chosen = holdingShare(head, choice.share);
                break;
            case SubsetChoice::Kind::Listed: chosen = listedFor(choice, head); break;
        }
    }
    return subsets;
}

HeadSubsets labelledSubsets(const kernels::ParameterSet& parameters, const std::vector<LayerInfo>& layers) {
    HeadSubsets subsets;
    for (const LayerInfo& layer : layers) {
        const auto found = parameters.layers.find(layer.layer);
        if (found == parameters.layers.end()) continue;
        const auto group = found->second.find("oal");
        if (group == found->second.end() || !group->second.arrays.contains("label")) continue;
        const ParameterReader reader(parameters.name, layer.layer, "oal", group->second);
        const kernels::ParameterArray& labels = reader.require("label", {layer.nHeads, layer.headDim});
        for (int head = 0; head < layer.nHeads; ++head) {
            std::vector<int>& chosen = subsets[{layer.layer, HeadIndex{head}}];
            for (Index r = 0; r < layer.headDim; ++r)
                if (labels.values[static_cast<std::size_t>(head * layer.headDim + r)] > 0.0)
                    chosen.push_back(static_cast<int>(r));
        }
    }
    return subsets;
}

HeadSubsets topOfSameSize(const GroupingResult& grouping, const HeadSubsets& sizes) {
    HeadSubsets subsets;
    for (const HeadGrouping& head : grouping.heads) {
        const auto found = sizes.find({head.layer, head.head});
        if (found != sizes.end() && head.usable) subsets[found->first] = strongestOf(head, found->second.size());
    }
    return subsets;
}

}  // namespace dimscope::analysis
