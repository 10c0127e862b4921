// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace dimscope::analysis {

/// What a random-subset control has so far.
struct ReplicateSnapshot {
    std::vector<std::string> kernels;
    std::vector<double> observed;             ///< R_S per kernel
    std::vector<std::vector<double>> ratios;  ///< [kernel][replicate], in the order drawn
    std::vector<double> p;                    ///< of the replicates so far
    int replicates = 0;                       ///< when it is done
};

/// Where a running control leaves its newest snapshot. The run publishes, another thread looks: neither waits.
class ReplicateStream {
public:
    void publish(std::shared_ptr<const ReplicateSnapshot> snapshot) {
        const std::lock_guard lock(mutex_);
        latest_ = std::move(snapshot);
    }
    /// Null before the first replicates are finished.
    std::shared_ptr<const ReplicateSnapshot> latest() const {
        const std::lock_guard lock(mutex_);
        return latest_;
    }

private:
    mutable std::mutex mutex_;
    std::shared_ptr<const ReplicateSnapshot> latest_;
};

}  // namespace dimscope::analysis
