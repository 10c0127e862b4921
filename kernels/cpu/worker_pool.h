// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <memory>

#include "kernels/indices.h"
#include "kernels/run_control.h"

namespace dimscope::kernels::cpu {

/// A fixed set of worker threads for parallel loops. One loop at a time.
class WorkerPool {
public:
    /// 0: as many threads as the machine has cores.
    explicit WorkerPool(int threads);
    ~WorkerPool();
    int threads() const;

    /// Runs body(0) .. body(count - 1), each once, in any order and on any thread; tasks are dealt out one by one, so
    /// put the long ones first. Checks for cancel before each task and reports the fraction done. The first exception
    /// (Cancelled too) ends the loop and is rethrown here.
    void run(Index count, const RunControl& control, const std::function<void(Index)>& body);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace dimscope::kernels::cpu
