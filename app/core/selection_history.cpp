// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/core/selection_history.h"

#include <cassert>

namespace dimscope::app {

void SelectionHistory::visit(HeadChoice choice) {
    if (!visited_.empty() && visited_[place_] == choice) return;
    if (!visited_.empty()) visited_.resize(place_ + 1);
    visited_.push_back(choice);
    place_ = visited_.size() - 1;
}

HeadChoice SelectionHistory::back() {
    assert(canGoBack());
    return visited_[--place_];
}

HeadChoice SelectionHistory::forward() {
    assert(canGoForward());
    return visited_[++place_];
}

void SelectionHistory::clear() {
    visited_.clear();
    place_ = 0;
}

}  // namespace dimscope::app
