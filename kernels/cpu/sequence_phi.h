// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/cpu/row_kernel.h"

namespace dimscope::kernels::cpu {

// What both SpectraFormer kernels need (section 2 of resources/docs/kernels.md).

/// Mean over all pairs of valid positions of |u_q + u_k|^2, u = sqrt(scale) x.
double sequencePhi(const FloatHead& head);

}  // namespace dimscope::kernels::cpu
