// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "kernels/run_control.h"

namespace dimscope::app {

/// From now on Ctrl-C and SIGTERM are noted instead of ending the process at once; a second one ends it.
void noteInterrupts();

/// As long as it lives: an interrupt cancels the run within 50 ms, and where stderr is a terminal a bar shows how far
/// the run has come.
class Watch {
public:
    explicit Watch(kernels::RunControl control);
    ~Watch();
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

private:
    void loop();
    bool waitForEnd();  ///< one tick long; true: it has come

    kernels::RunControl control_;
    bool terminal_;
    std::mutex mutex_;
    std::condition_variable ended_;
    bool done_ = false;
    std::thread thread_;
};

}  // namespace dimscope::app
