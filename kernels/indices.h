// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <compare>
#include <cstdint>

namespace dimscope::kernels {

/// Signed size type of every row, column and position in the program.
using Index = std::int64_t;

/// An integer that cannot be mixed up with another kind of integer.
template <class Tag>
struct StrongIndex {
    int value = 0;
    StrongIndex() = default;
    explicit constexpr StrongIndex(int index) : value(index) {}
    friend auto operator<=>(StrongIndex, StrongIndex) = default;
};

/// Zero-based layer number of the model, not the ordinal in the file.
using LayerIndex = StrongIndex<struct LayerTag>;
/// Zero-based query head.
using HeadIndex = StrongIndex<struct HeadTag>;
/// Zero-based key/value head.
using KvHeadIndex = StrongIndex<struct KvHeadTag>;
/// Zero-based prompt (sequence) of the dump.
using PromptIndex = StrongIndex<struct PromptTag>;

/// Key/value head read by a query head under contiguous GQA: floor(h / (Hq / Hkv)).
constexpr KvHeadIndex kvHeadOf(HeadIndex head, int nHeads, int nKvHeads) {
    return KvHeadIndex{head.value / (nHeads / nKvHeads)};
}

}  // namespace dimscope::kernels
