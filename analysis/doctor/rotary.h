// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "analysis/head_source.h"

namespace dimscope::analysis {

/// How RoPE turns pairs of dimensions with the position: pair p by theta^(-2p / dim) radians per position.
struct RotaryForm {
    double theta = 10000.0;
    std::string layout = "half";  ///< "half": dims r and r + dim/2; "interleaved": 2r and 2r + 1
    Index dim = 0;                ///< rotated dimensions, the first of a head
    friend bool operator==(const RotaryForm&, const RotaryForm&) = default;
};

/// What a layer states, `theta` where it states none; all dimensions where it names none.
RotaryForm statedForm(const LayerInfo& layer, double theta);

/// The tensor (positions, head_dim) turned by its positions; `direction` -1 turns back.
kernels::Matrix<double> rotated(const kernels::Tensor& tensor, const RotaryForm& form, double direction = 1.0);

/// |mean| / mean | | of the vectors that the fastest pair of dimensions makes, over valid positions: 1 where they all
/// point the same way, near 0 where they turn. `direction` as in rotated, 0: as stored. NaN without a position.
double fastPairDrift(const kernels::Tensor& keys, const RotaryForm& form, double direction,
                     const std::vector<Index>& rows);

}  // namespace dimscope::analysis
