// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "analysis/head_source.h"
#include "kernels/backend.h"

namespace dimscope::analysis {

/// Powers of two from 16 to below `length`, and `length` itself.
std::vector<Index> prefixLengths(Index length);

/// chi of one head (kernel-math section 6) over its first lengths[l] positions, l ascending, as if the prompt ended
/// there: (lengths, head_dim), a row of NaN where no pair is visible. One pass over the positions gives all rows,
/// O(N d), in double. Throws Cancelled.
kernels::Matrix<double> prefixContributions(const kernels::HeadInputs& head, const std::vector<Index>& lengths,
                                            const RunControl& control);

}  // namespace dimscope::analysis
