// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/head_source.h"

namespace dimscope::analysis {

/// Query rows of each prompt, ascending: `count` valid positions drawn without replacement, the same for all heads and
/// kernels; all valid positions where count is 0. Every prompt gets the same number; where one has fewer valid
/// positions than asked for, all prompts get that many and a warning says so.
std::vector<std::vector<Index>> sampleRows(const std::vector<PromptIndex>& prompts, HeadSource& source, Index length,
                                           int count, std::uint64_t seed, std::vector<Warning>& warnings);

/// The rows of an experiment: those given, checked, or drawn where none are.
std::vector<std::vector<Index>> chosenRows(const std::vector<std::vector<Index>>& given,
                                           const std::vector<PromptIndex>& prompts, HeadSource& source, Index length,
                                           int count, std::uint64_t seed, std::vector<Warning>& warnings);

/// All valid positions of each prompt that have a query, however many it has; throws ArgumentError where one has none.
std::vector<std::vector<Index>> validRows(const std::vector<PromptIndex>& prompts, HeadSource& source, Index length);

/// Checks given positions: inside the length, valid, with a query. Throws ArgumentError naming prompt and position.
void checkPositions(const std::vector<std::vector<Index>>& positions, const std::vector<PromptIndex>& prompts,
                    HeadSource& source, Index length);

}  // namespace dimscope::analysis
