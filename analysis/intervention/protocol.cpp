// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/intervention/protocol.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/error.h"

namespace dimscope::analysis {
namespace {

Index promptsIn(const DumpInfo& info, std::string_view split) {
    return std::count_if(info.prompts.begin(), info.prompts.end(),
                         [&](const PromptInfo& prompt) { return !prompt.leftOut && prompt.split == split; });
}

}  // namespace

const std::vector<Protocol>& protocols() {
    static const std::vector<Protocol> kProtocols{
        {.name = "oal-qwen", .layers = {LayerIndex{4}, LayerIndex{12}, LayerIndex{20}}, .positions = 4096},
        {.name = "oal-llama", .layers = {}, .alpha = 0.5, .gamma = 0.5},
        {.name = "quick",
         .ofPaper = false,
         .layers = {},
         .layerCount = 0,
         .seeds = 1,
         .rows = 8,
         .evaluated = 0,
         .calibrated = 0,
         .replicates = 100}};
    return kProtocols;
}

const Protocol& protocolFrom(std::string_view name) {
    for (const Protocol& protocol : protocols())
        if (protocol.name == name) return protocol;
    throw kernels::ArgumentError(fmt::format("protocol '{}', expected oal-qwen, oal-llama or quick", name));
}

std::vector<LayerIndex> protocolLayers(const Protocol& protocol, const DumpInfo& info) {
    std::vector<LayerIndex> layers;
    for (const LayerIndex layer : protocol.layers)
        if (info.find(layer)) layers.push_back(layer);
    return layers;
}

std::vector<Warning> unmetBy(const Protocol& protocol, const DumpInfo& info) {
    std::vector<Warning> unmet;
    const auto add = [&](const std::string& place, const std::string& text) {
        unmet.push_back({"protocol", place, protocol.name + ": " + text});
    };
    for (const LayerIndex layer : protocol.layers)
        if (!info.find(layer)) add("layers", fmt::format("the dump has no layer {}", layer.value));
    if (protocol.layers.empty() && protocol.layerCount > 0)
        add("layers", fmt::format("its {} layers are not stated; all {} of the dump are used", protocol.layerCount,
                                  info.layers.size()));
    for (const auto& [split, wanted] :
         {std::pair("calibration", protocol.calibrated), std::pair("evaluation", protocol.evaluated)})
        if (const Index present = promptsIn(info, split); present < wanted)
            add("prompts", fmt::format("{} {} sequences are wanted, the dump marks {}", wanted, split, present));
    if (protocol.positions > 0)
        for (const LayerInfo& layer : info.layers)
            if (layer.positions < protocol.positions) {
                add("length", fmt::format("sequences of {} tokens are wanted, the dump has {}", protocol.positions,
                                          layer.positions));
                break;
            }
    return unmet;
}

}  // namespace dimscope::analysis
