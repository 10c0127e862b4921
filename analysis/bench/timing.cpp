// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/bench/timing.h"

#include <algorithm>
#include <chrono>
#include <vector>

namespace dimscope::analysis {

Timing timed(int repeat, const kernels::RunControl& control,
             const std::function<void(const kernels::RunControl&)>& pass) {
    using Clock = std::chrono::steady_clock;
    const auto passes = static_cast<std::size_t>(repeat) + 1;
    std::vector<double> ms;
    for (std::size_t n = 0; n < passes; ++n) {
        control.throwIfCancelled();
        const Clock::time_point start = Clock::now();
        pass(control.part(n, passes));
        if (n > 0) ms.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
    }
    std::sort(ms.begin(), ms.end());
    return {0.5 * (ms[(ms.size() - 1) / 2] + ms[ms.size() / 2]), ms.front()};
}

}  // namespace dimscope::analysis
