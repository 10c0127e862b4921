// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "analysis/contribution/stability.h"

namespace dimscope::analysis {

/// chi of the prompts at full length and the parts they fall into: what every statistic over prompts needs.
struct PromptContributions {
    kernels::Matrix<double> chi;             ///< (prompts, head_dim)
    std::vector<std::size_t> first, second;  ///< rows of the two parts
};

/// Mean of some rows, with repetition; NaN of none.
std::vector<double> meanOfRows(const kernels::Matrix<double>& rows, const std::vector<std::size_t>& chosen);

/// Fills what compares prompts: parts, agreement of each prompt, replicates. `replicates`: [B][P] prompts drawn.
void comparePrompts(const PromptContributions& prompts, const std::vector<PromptIndex>& names,
                    const std::vector<std::vector<std::size_t>>& replicates, int top, HeadStability& head,
                    const RunControl& control);

/// Fills the intervals of a layer from its usable heads; `seed` draws the resamples. Throws Cancelled.
void addIntervals(const std::vector<PromptContributions>& heads, int top, std::uint64_t seed, LayerStability& layer,
                  const RunControl& control);

}  // namespace dimscope::analysis
