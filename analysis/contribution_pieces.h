// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "analysis/head_profile.h"
#include "analysis/piece_store.h"

namespace dimscope::analysis {

/// chi of every head on some prompts, as much of a profile as a grouping needs: all prompts together and each alone.
/// One piece, "profile", that every shard has. Throws what profileHeads throws; nothing where the piece is not there
/// and not to be computed.
std::optional<ProfileResult> contributions(const Selection& selection, const std::vector<PromptIndex>& prompts,
                                           HeadSource& source, kernels::Backend& backend, Pieces& pieces,
                                           const RunControl& control);

}  // namespace dimscope::analysis
