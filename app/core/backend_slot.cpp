// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/core/backend_slot.h"

#include "kernels/backend_registry.h"

namespace dimscope::app {

kernels::Backend* BackendSlot::named(const std::string& name) {
    if (!backend_ || name_ != name) {
        backend_ = kernels::makeBackend(name);
        name_ = name;
    }
    return backend_.get();
}

}  // namespace dimscope::app
