// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "analysis/head_source.h"

namespace dimscope::analysis {

/// Which part of a dump is looked at. Empty lists mean all.
struct Selection {
    std::vector<LayerIndex> layers;
    std::vector<HeadIndex> heads;
    std::vector<PromptIndex> prompts;
    Index length = 0;  ///< first N positions; 0: all
    friend bool operator==(const Selection&, const Selection&) = default;
};

/// Layers of the selection that the dump has. Throws ArgumentError naming the first that it lacks.
std::vector<LayerInfo> selectedLayers(const Selection& selection, const DumpInfo& info);
/// Query heads of one layer. Throws ArgumentError for a head the layer lacks.
std::vector<HeadIndex> selectedHeads(const Selection& selection, const LayerInfo& layer);
/// Usable prompts (left-out ones dropped). Throws ArgumentError for a prompt the dump lacks, or where none is left.
std::vector<PromptIndex> selectedPrompts(const Selection& selection, const DumpInfo& info);
/// Those of the prompts that the layer has.
std::vector<PromptIndex> presentPrompts(const std::vector<PromptIndex>& prompts, const LayerInfo& layer);
/// Positions looked at in a layer: its N, or the selection's length where shorter. Throws ArgumentError if length > N,
/// or where no position has a query.
Index selectedLength(const Selection& selection, const LayerInfo& layer);
/// The selection written out for provenance.
void describe(const Selection& selection, const DumpInfo& info, Provenance& provenance);

/// Prompts with one of these splits; the first split that has any wins, all prompts where none has.
std::vector<PromptIndex> promptsOfSplits(const DumpInfo& info, const std::vector<std::string>& splitsInOrder);

}  // namespace dimscope::analysis
