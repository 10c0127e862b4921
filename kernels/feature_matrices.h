// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/kernel_spec.h"

namespace dimscope::kernels {

// Linear maps behind features as plain matrices, (features, head_dim): at the sizes of heads one product costs less
// than a fast transform of every token.

/// The rows w_f of d^-1/2 S H G Pi H B (section 2.2), H unnormalised in Sylvester order; d is a power of two.
Matrix<double> fastFoodRows(const std::vector<double>& b, const std::vector<double>& g, const std::vector<double>& s,
                            const std::vector<int>& permutation);

/// t_n times row n of the cosine transform of section 3, without the scale of the logits.
Matrix<double> cosineRows(const DiJiang& spec);

}  // namespace dimscope::kernels
