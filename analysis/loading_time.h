// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <memory>

#include "analysis/head_source.h"

namespace dimscope::analysis {

/// Time to load q, k and v of the first, middle and last head of the first layer from the old dump over that from the
/// new one: medians of 5 loads each, in turns, each from a source that was just opened (opening is not timed). NaN
/// where no time passed.
double loadTimeRatio(const std::function<std::shared_ptr<HeadSource>()>& openOld,
                     const std::function<std::shared_ptr<HeadSource>()>& openNew, const RunControl& control);

}  // namespace dimscope::analysis
