// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/highlight.h"

#include <algorithm>

namespace dimscope::app {

void Highlight::brush(std::vector<int> dimensions) {
    std::sort(dimensions.begin(), dimensions.end());
    dimensions.erase(std::unique(dimensions.begin(), dimensions.end()), dimensions.end());
    if (dimensions == brushed_) return;
    brushed_ = std::move(dimensions);
    emit changed();
}

void Highlight::hover(int dimension) {
    if (locked_ || dimension == hovered_) return;
    hovered_ = dimension;
    emit changed();
}

void Highlight::lock(int dimension) {
    const bool same = locked_ && dimension == hovered_;
    locked_ = !same && dimension >= 0;
    hovered_ = locked_ ? dimension : -1;
    emit changed();
}

void Highlight::clear() {
    if (brushed_.empty() && hovered_ < 0) return;
    brushed_.clear();
    hovered_ = -1;
    locked_ = false;
    emit changed();
}

bool Highlight::release() {
    if (locked_) {
        locked_ = false;
        hovered_ = -1;
    } else if (!brushed_.empty()) {
        brushed_.clear();
    } else {
        return false;
    }
    emit changed();
    return true;
}

}  // namespace dimscope::app
