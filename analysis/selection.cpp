// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/selection.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/error.h"

namespace dimscope::analysis {
namespace {

using kernels::ArgumentError;

std::string layerList(const DumpInfo& info) {
    std::string text;
    for (const LayerInfo& layer : info.layers) text += (text.empty() ? "" : ", ") + std::to_string(layer.layer.value);
    return text;
}

template <class T>
std::vector<std::int64_t> numbers(const std::vector<T>& indices) {
    std::vector<std::int64_t> out;
    for (const T& index : indices) out.push_back(index.value);
    return out;
}

}  // namespace

std::vector<LayerInfo> selectedLayers(const Selection& selection, const DumpInfo& info) {
    if (selection.layers.empty()) return info.layers;
    std::vector<LayerIndex> wanted = selection.layers;
    std::sort(wanted.begin(), wanted.end());
    wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
    std::vector<LayerInfo> layers;
    for (const LayerIndex layer : wanted) {
        const LayerInfo* found = info.find(layer);
        if (!found)
            throw ArgumentError(fmt::format("{}: there is no layer {}; the dump holds layers {}", info.path,
                                            layer.value, layerList(info)));
        layers.push_back(*found);
    }
    return layers;
}

std::vector<HeadIndex> selectedHeads(const Selection& selection, const LayerInfo& layer) {
    std::vector<HeadIndex> heads = selection.heads;
    if (heads.empty())
        for (int h = 0; h < layer.nHeads; ++h) heads.emplace_back(h);
    std::sort(heads.begin(), heads.end());
    heads.erase(std::unique(heads.begin(), heads.end()), heads.end());
    for (const HeadIndex head : heads)
        if (head.value < 0 || head.value >= layer.nHeads)
            throw ArgumentError(fmt::format("layer {} has no head {}; its heads are 0..{}", layer.layer.value,
                                            head.value, layer.nHeads - 1));
    return heads;
}

std::vector<PromptIndex> selectedPrompts(const Selection& selection, const DumpInfo& info) {
    std::vector<PromptIndex> wanted = selection.prompts;
    const auto count = static_cast<int>(info.prompts.size());
    if (wanted.empty())
        for (int p = 0; p < count; ++p) wanted.emplace_back(p);
    std::sort(wanted.begin(), wanted.end());
    wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
    std::vector<PromptIndex> usable;
    for (const PromptIndex prompt : wanted) {
        if (prompt.value < 0 || prompt.value >= count)
            throw ArgumentError(
                fmt::format("{}: there is no prompt {}; its prompts are 0..{}", info.path, prompt.value, count - 1));
        if (!info.prompts[static_cast<std::size_t>(prompt.value)].leftOut) usable.push_back(prompt);
    }
    if (usable.empty())
        throw ArgumentError(fmt::format("{}: none of the selected prompts has a valid position", info.path));
    return usable;
}

std::vector<PromptIndex> presentPrompts(const std::vector<PromptIndex>& prompts, const LayerInfo& layer) {
    std::vector<PromptIndex> present;
    for (const PromptIndex prompt : prompts)
        if (std::find(layer.missingPrompts.begin(), layer.missingPrompts.end(), prompt.value) ==
            layer.missingPrompts.end())
            present.push_back(prompt);
    return present;
}

Index selectedLength(const Selection& selection, const LayerInfo& layer) {
    if (selection.length == 0) return layer.positions;
    if (selection.length < 0 || selection.length > layer.positions)
        throw ArgumentError(fmt::format("length {}: layer {} has {} positions; choose 1..{}", selection.length,
                                        layer.layer.value, layer.positions, layer.positions));
    if (selection.length <= layer.queries.first)
        throw ArgumentError(fmt::format("length {}: the first query of layer {} is at position {}; choose {}..{}",
                                        selection.length, layer.layer.value, layer.queries.first,
                                        layer.queries.first + 1, layer.positions));
    return selection.length;
}

void describe(const Selection& selection, const DumpInfo& info, Provenance& provenance) {
    const std::vector<LayerInfo> layers = selectedLayers(selection, info);
    std::vector<std::int64_t> numbersOfLayers;
    for (const LayerInfo& layer : layers) numbersOfLayers.push_back(layer.layer.value);
    provenance.dump = info.identity;
    provenance.selection = {{"layers", numbersOfLayers}, {"prompts", numbers(selectedPrompts(selection, info))}};
    if (selection.heads.empty())
        provenance.selection.emplace_back("heads", std::string("all"));
    else
        provenance.selection.emplace_back("heads", numbers(selection.heads));
    provenance.selection.emplace_back("length", layers.empty() ? Index{0} : selectedLength(selection, layers.front()));
    if (const kernels::PositionRange queries = info.queries(); !layers.empty() && !layers.front().hasEveryQuery())
        provenance.selection.emplace_back(
            "query_positions",
            fmt::format("{}..{}", queries.first, std::min(queries.end, layers.front().positions) - 1));
    for (const auto& exclusion : info.exclusions) provenance.selection.push_back(exclusion);
}

std::vector<PromptIndex> promptsOfSplits(const DumpInfo& info, const std::vector<std::string>& splitsInOrder) {
    for (const std::string& split : splitsInOrder) {
        std::vector<PromptIndex> prompts;
        for (std::size_t p = 0; p < info.prompts.size(); ++p)
            if (info.prompts[p].split == split && !info.prompts[p].leftOut) prompts.emplace_back(static_cast<int>(p));
        if (!prompts.empty()) return prompts;
    }
    return selectedPrompts({}, info);
}

}  // namespace dimscope::analysis
