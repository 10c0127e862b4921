// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "io/dump/axis_reading.h"

namespace dimscope::io {

// What a person is asked where shapes leave a choice. All throw AmbiguousReading, FormatError where there is nothing to
// choose from.

/// Which of these orders the axes of q have.
[[noreturn]] void askAxes(const std::vector<Axes>& readings, const Sizes& q, const AxisHints& hints,
                          const FilePlace& place);

/// How the last axis of q and k, which holds heads and dimensions, is split.
[[noreturn]] void askHeads(const Sizes& q, const Sizes& k, const FilePlace& place);

/// How an axis of `width` that holds q, k and v is split. `shared`: key/value heads may be fewer than query heads.
[[noreturn]] void askFusedHeads(kernels::Index width, bool shared, const FilePlace& place);

/// Which key/value head a query head reads, where gqa="stated" is no order that is known.
[[noreturn]] void askHeadOrder(const std::string& stated, const FilePlace& place);

}  // namespace dimscope::io
