// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <span>

#include "analysis/head_source.h"

namespace dimscope::analysis {

/// Which positions are real; empty: all.
using Validity = std::span<const std::uint8_t>;

inline bool isReal(Validity valid, Index i) { return valid.empty() || valid[static_cast<std::size_t>(i)] != 0; }

/// What the numbers of one head of one tensor look like, over the valid positions of all prompts looked at.
struct TensorFacts {
    TensorKind kind = TensorKind::Query;
    int head = 0;
    Index values = 0, nans = 0, infinities = 0;
    Index saturated = 0;  ///< finite and at +-65504, the largest number of float16, which bf16 cannot hold
    PromptIndex firstPrompt;
    Index firstRow = -1, firstColumn = -1;  ///< of the first that is not finite; -1: none
    bool allZero = true;
    int mantissaBits = 0;                        ///< most that a value uses, the leading one counted
    std::array<std::uint64_t, 2> fingerprint{};  ///< of all bits: equal where two heads are bit-identical
};

/// Adds those of the first `length` positions of a prompt that the tensor has rows for.
void addFacts(const LoadedTensor& tensor, PromptIndex prompt, Validity valid, Index length,
              const kernels::PositionRange& present, TensorFacts& facts);

/// Rows at the ends of the valid range that repeat each other bit for bit: 0 where none does. A single row counts where
/// it is all zero.
struct EdgeRuns {
    Index leading = 0, trailing = 0;
    Index valid = 0;  ///< positions of the prompt
    friend bool operator==(const EdgeRuns&, const EdgeRuns&) = default;
};
EdgeRuns edgeRuns(const LoadedTensor& keys, Validity valid, Index length);

}  // namespace dimscope::analysis
