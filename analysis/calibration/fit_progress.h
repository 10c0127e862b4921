// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <atomic>

#include "kernels/run_control.h"

namespace dimscope::analysis {

/// The part that one fit has in the progress of many that run at once, each reported as it comes.
class FitProgress {
public:
    /// `total`: the sum of all parts, outlives this; `share`: of this part, all shares add up to 1.
    FitProgress(kernels::RunControl control, std::atomic<double>& total, double share)
        : control_(std::move(control)), total_(total), share_(share) {}
    FitProgress(const FitProgress&) = delete;
    FitProgress& operator=(const FitProgress&) = delete;

    bool cancelled() const { return control_.cancelled(); }
    /// For steps within this part: cancels with it and reports nothing.
    kernels::RunControl control() const { return control_.slice(0.0F, 0.0F); }
    /// Fraction 0..1 of this part; it never runs backwards.
    void reach(double fraction) {
        const double step = std::max(0.0, std::min(fraction, 1.0) - reached_);
        reached_ += step;
        control_.report(static_cast<float>(total_.fetch_add(step * share_) + step * share_));
    }

private:
    kernels::RunControl control_;
    std::atomic<double>& total_;
    double share_;
    double reached_ = 0.0;
};

}  // namespace dimscope::analysis
