// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/common_prompts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "kernels/error.h"

namespace dimscope::analysis {

CommonPrompts::CommonPrompts(HeadSource& source, const Selection& selection)
    : ForwardingSource(source), info_(source.info()) {
    std::set<int> lacking, layers;
    for (const LayerInfo& layer : selectedLayers(selection, info_))
        for (const int prompt : layer.missingPrompts) {
            bool& leftOut = info_.prompts[static_cast<std::size_t>(prompt)].leftOut;
            if (leftOut && !lacking.contains(prompt)) continue;
            leftOut = true;
            lacking.insert(prompt);
            layers.insert(layer.layer.value);
        }
    if (lacking.empty()) return;
    if (std::all_of(info_.prompts.begin(), info_.prompts.end(), [](const PromptInfo& p) { return p.leftOut; }))
        throw kernels::ArgumentError(
            fmt::format("{}: no prompt is in all of the selected layers; select fewer layers", info_.path));
    info_.warnings.push_back(
        {"prompts_not_in_all_layers", fmt::format("layers {}", fmt::join(layers, ", ")),
         fmt::format("{} prompt(s) that these layers lack are left out of all selected layers, the first: {}",
                     lacking.size(), *lacking.begin())});
}

}  // namespace dimscope::analysis
