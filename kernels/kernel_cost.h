// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "kernels/kernel_spec.h"

namespace dimscope::kernels {

/// What a kernel costs in its linear-time form, per query head. Empty where it has none.
struct KernelCost {
    std::optional<Index> features;      ///< length of phi
    std::optional<Index> stateEntries;  ///< numbers carried from token to token
    Index learned = 0;                  ///< parameters that calibration fits
    double flopsPerToken = 0.0;         ///< feature maps of q and k, update and readout; a product counts 1, a sum 1
};

/// Leading terms. A kernel without a linear-time form is counted pair by pair over the mean of shape.rows / 2 keys.
KernelCost kernelCost(const KernelSpec& spec, const HeadShape& shape);

}  // namespace dimscope::kernels
