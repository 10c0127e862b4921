// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "analysis/intervention/subset_choice.h"

namespace dimscope::app {

/// --subset: "" (the grouping), top:N, share:X, or LAYER.HEAD:3+5,LAYER.HEAD:7. Throws UsageError.
analysis::SubsetChoice parseSubset(const std::string& text);

}  // namespace dimscope::app
