// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>

#include "kernels/error.h"

namespace dimscope::kernels {

/// Cancel and progress of one long call. Copied by value; copies and slices share the same state.
/// Thread-safe: the owner reads progress and cancels while workers report and check.
class RunControl {
public:
    /// Runs to the end and reports nowhere (tests, scripts).
    RunControl() : state_(std::make_shared<State>()) {}

    void cancel() const { state_->cancelled.store(true, std::memory_order_relaxed); }
    bool cancelled() const { return state_->cancelled.load(std::memory_order_relaxed); }
    void throwIfCancelled() const {
        if (cancelled()) throw Cancelled{};
    }

    /// Fraction 0..1 of the current slice; progress never runs backwards.
    void report(float fraction) const {
        const float clamped = fraction < 0.0F ? 0.0F : (fraction > 1.0F ? 1.0F : fraction);
        const float total = from_ + (to_ - from_) * clamped;
        float seen = state_->progress.load(std::memory_order_relaxed);
        while (total > seen && !state_->progress.compare_exchange_weak(seen, total, std::memory_order_relaxed)) {
        }
    }
    /// Fraction 0..1 of the whole call.
    float progress() const { return state_->progress.load(std::memory_order_relaxed); }

    /// Part of this range, for a nested step.
    RunControl slice(float from, float to) const {
        RunControl nested(*this);
        nested.from_ = from_ + (to_ - from_) * from;
        nested.to_ = from_ + (to_ - from_) * to;
        return nested;
    }
    /// Step `index` of `count` equal steps of this range.
    RunControl part(std::size_t index, std::size_t count) const { return parts(index, index + 1, count); }
    /// Steps [from, to) of `count` equal steps of this range.
    RunControl parts(std::size_t from, std::size_t to, std::size_t count) const {
        const auto total = static_cast<float>(count);
        return slice(static_cast<float>(from) / total, static_cast<float>(to) / total);
    }

private:
    struct State {
        std::atomic<bool> cancelled{false};
        std::atomic<float> progress{0.0F};
    };
    std::shared_ptr<State> state_;
    float from_ = 0.0F;
    float to_ = 1.0F;
};

}  // namespace dimscope::kernels
