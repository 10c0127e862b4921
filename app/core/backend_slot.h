// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "kernels/backend.h"

namespace dimscope::app {

/// The backend that one queue's jobs compute with: made on first use, on the worker, because asking a GPU driver takes
/// time. A backend is called by one thread at a time, so every queue has a slot of its own.
class BackendSlot {
public:
    /// Calls `use` with the backend of this name. Throws BackendUnavailable, ArgumentError, and whatever `use` throws.
    template <class Use>
    auto with(const std::string& name, Use use) {
        const std::lock_guard lock(mutex_);
        return use(*named(name));
    }

private:
    kernels::Backend* named(const std::string& name);

    std::mutex mutex_;
    std::string name_;
    std::unique_ptr<kernels::Backend> backend_;
};

}  // namespace dimscope::app
