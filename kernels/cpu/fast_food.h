// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "kernels/cpu/row_kernel.h"

namespace dimscope::kernels::cpu {

// What both SpectraFormer kernels need (section 2 of resources/docs/kernels.md).

/// The rows w_f of d^-1/2 S H G Pi H B as one matrix (head_dim, head_dim): one product costs less than two fast
/// transforms of every token at these sizes.
RowMajor<double> fastFoodRows(const std::vector<double>& b, const std::vector<double>& g, const std::vector<double>& s,
                              const std::vector<int>& permutation);

/// Mean over all pairs of valid positions of |u_q + u_k|^2, u = sqrt(scale) x.
double sequencePhi(const FloatHead& head);

}  // namespace dimscope::kernels::cpu
