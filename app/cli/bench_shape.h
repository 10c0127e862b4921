// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

#include "analysis/bench/bench_source.h"

namespace dimscope::app {

/// "9/3x64": query heads, key/value heads and head dimension; "9x64" where every head has its own keys. Throws
/// UsageError naming the option.
analysis::BenchShape benchShapeFrom(std::string_view option, std::string_view text);

}  // namespace dimscope::app
