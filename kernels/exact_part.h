// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/backend.h"

namespace dimscope::kernels {

// What every backend does alike about the exact part of section 13.6.

/// The mask of the keys that are exact, and of those left to the kernel.
struct SplitMasks {
    AttentionMask exact, rest;
};
SplitMasks splitMasks(const AttentionMask& mask, const ExactPart& part, Index positions);

/// The head that the exact keys see: soft cap and sink belong to exact attention alone (section 13.2).
HeadInputs exactKeysOf(const HeadInputs& head, const AttentionMask& exactMask);

/// Joins the kernel's output over the rest with that of the exact keys, whose exactMass holds a of every row. The
/// kernel `zero` stands for no rest at all: g = 0.
RowsOutput joinExactPart(RowsOutput rest, const RowsOutput& exact, const AttentionMask& restMask,
                         std::span<const Index> rows, Index positions, double gate);

/// Share of the kernel's output in a row, from the mass of its exact keys; NaN: the row sees no key at all.
double restShare(bool hasRest, double mass, double gate);

/// The gate of a kernel: 0 for `zero`.
double gateOf(const KernelSpec& spec, const ExactPart& part);

}  // namespace dimscope::kernels
