// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "analysis/fidelity/fidelity_sums.h"
#include "analysis/piece_store.h"

namespace dimscope::analysis {

/// Key of what a layer is prepared with: "layer/L05".
std::string fidelityLayerKey(LayerIndex layer);
/// Key of a cell: "cell/L05/P0".
std::string fidelityCellKey(LayerIndex layer, PromptIndex prompt);

/// Sums and warnings of a finished cell.
Piece cellPiece(const FidelityCell& cell);

/// The same cell again. `cell` has its layer, prompt and share of rows, its heads in `usable` and in every method that
/// the layer has. Throws ShapeError where the piece does not fit them.
void takeCell(const Piece& piece, FidelityCell& cell);

}  // namespace dimscope::analysis
