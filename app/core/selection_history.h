// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "kernels/indices.h"

namespace dimscope::app {

/// The head that is looked at.
struct HeadChoice {
    kernels::LayerIndex layer;
    kernels::HeadIndex head;
    friend bool operator==(const HeadChoice&, const HeadChoice&) = default;
};

/// Heads in the order they were looked at, with back and forward as in a browser.
class SelectionHistory {
public:
    void visit(HeadChoice choice);  ///< forgets what was ahead; the same head twice is one visit
    bool canGoBack() const { return place_ > 0; }
    bool canGoForward() const { return place_ + 1 < visited_.size(); }
    HeadChoice back();     ///< only when canGoBack()
    HeadChoice forward();  ///< only when canGoForward()
    void clear();

private:
    std::vector<HeadChoice> visited_;
    std::size_t place_ = 0;
};

}  // namespace dimscope::app
