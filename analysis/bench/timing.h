// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>

#include "kernels/run_control.h"

namespace dimscope::analysis {

struct Timing {
    double medianMs = 0.0, leastMs = 0.0;
};

/// Runs `pass` once for nothing, so that memory and caches are warm, then `repeat` times by the clock.
Timing timed(int repeat, const kernels::RunControl& control,
             const std::function<void(const kernels::RunControl&)>& pass);

}  // namespace dimscope::analysis
