// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "analysis/head_source.h"

namespace dimscope::analysis {

using kernels::RotaryForm;

/// What a layer states, `theta` where it states none; all dimensions where it names none.
RotaryForm statedForm(const LayerInfo& layer, double theta);

/// The tensor (positions, head_dim) turned by its positions; `direction` -1 turns back.
kernels::Matrix<double> rotated(const kernels::Tensor& tensor, const RotaryForm& form, double direction = 1.0);

/// |mean| / mean | | of the vectors that the fastest pair of dimensions makes, over valid positions: 1 where they all
/// point the same way, near 0 where they turn. `direction` as in rotated, 0: as stored. NaN without a position.
double fastPairDrift(const kernels::Tensor& keys, const RotaryForm& form, double direction,
                     const std::vector<Index>& rows);

}  // namespace dimscope::analysis
