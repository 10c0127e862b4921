// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

#include "analysis/head_source.h"

namespace dimscope::analysis {

/// Settings of the retained-error experiment as a paper has them, or a quick look (kernel-math sections 6 and 7).
struct Protocol {
    std::string name;
    bool ofPaper = true;
    std::vector<LayerIndex> layers;  ///< empty: not stated, all of the dump
    int layerCount = 3;              ///< layers that were looked at
    int seeds = 5, rows = 32;
    int evaluated = 16, calibrated = 40;  ///< sequences; 0: as many as there are
    Index positions = 0;                  ///< length of a sequence; 0: not stated
    double alpha = 0.25, tau = 1.5, gamma = 0.9;
    int replicates = 1000;
};

const std::vector<Protocol>& protocols();
/// oal-qwen | oal-llama | quick; throws ArgumentError.
const Protocol& protocolFrom(std::string_view name);

/// Layers of the protocol that the dump has; all of the dump where it has none or none are stated.
std::vector<LayerIndex> protocolLayers(const Protocol& protocol, const DumpInfo& info);
/// What the dump cannot meet: layers, splits, numbers and length of sequences.
std::vector<Warning> unmetBy(const Protocol& protocol, const DumpInfo& info);

}  // namespace dimscope::analysis
