// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "kernels/matrix.h"

namespace dimscope::kernels {

/// How RoPE turns pairs of dimensions with the position (Su et al. 2021, arXiv:2104.09864, equation 34): pair p by
/// theta^(-2p / dim) radians per position.
struct RotaryForm {
    double theta = 10000.0;
    std::string layout = "half";  ///< "half": dims r and r + dim/2; "interleaved": 2r and 2r + 1
    Index dim = 0;                ///< rotated dimensions, the first of a head
    friend bool operator==(const RotaryForm&, const RotaryForm&) = default;
};

struct DimensionPair {
    Index first = 0, second = 0;
};
DimensionPair rotaryPair(const RotaryForm& form, Index pair);
/// Radians per position.
double rotaryStepRad(const RotaryForm& form, Index pair);

/// Turns the rows (positions, head_dim) by their positions, in place; `direction` -1 turns back.
void rotateRows(Matrix<float>& rows, const RotaryForm& form, double direction = 1.0);
void rotateRows(Matrix<double>& rows, const RotaryForm& form, double direction = 1.0);

}  // namespace dimscope::kernels
