// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/core/result_store.h"

namespace dimscope::app {

void ResultStore::clear() {
    profiles.clear();
    groupings.clear();
    comparisons.clear();
    experiments.clear();
}

}  // namespace dimscope::app
