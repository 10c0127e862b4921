// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/kernel_spec.h"

namespace dimscope::tests {

using kernels::Index;

/// A head that owns its tensors.
struct OwnedHead {
    kernels::Matrix<double> query, key, value;
    std::vector<std::uint8_t> valid;
    bool causal = true;
    Index window = 0;
    double scale = 1.0, softcap = 0.0;
    std::optional<double> sink;
    kernels::HeadInputs inputs() const;
};

/// Hand-worked heads: two and three dimensions, three positions (the known answers of resources/docs/kernels.md).
OwnedHead handHead2();
OwnedHead handHead3();

/// Seeded N(0, spread^2) tensors.
OwnedHead randomHead(Index rows, Index headDim, Index valueDim, std::uint64_t seed, double spread = 1.0);

/// Every kernel with seeded parameters for a head of this dimension (SpectraFormer only for powers of two).
std::vector<kernels::KernelSpec> allKernels(Index headDim, std::uint64_t seed);

/// All positions 0 .. rows - 1.
std::vector<Index> allRows(Index rows);

}  // namespace dimscope::tests
