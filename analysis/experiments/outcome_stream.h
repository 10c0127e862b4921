// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <mutex>
#include <utility>

namespace dimscope::analysis {

struct ExperimentOutcome;

/// Where a running experiment leaves what it has so far. The run publishes, another thread looks: neither waits.
class OutcomeStream {
public:
    void publish(std::shared_ptr<const ExperimentOutcome> outcome) {
        const std::lock_guard lock(mutex_);
        latest_ = std::move(outcome);
    }
    /// Null before there is anything to see.
    std::shared_ptr<const ExperimentOutcome> latest() const {
        const std::lock_guard lock(mutex_);
        return latest_;
    }

private:
    mutable std::mutex mutex_;
    std::shared_ptr<const ExperimentOutcome> latest_;
};

}  // namespace dimscope::analysis
