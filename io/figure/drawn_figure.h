// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "analysis/figure.h"
#include "io/figure/figure_layout.h"
#include "io/figure/figure_theme.h"

namespace dimscope::io {

/// Keys of marks that the person has brushed or points at, and the RoPE partner of the latter.
struct Highlight {
    std::vector<int> brushed;
    int hovered = -1, partner = -1;

    bool isBrushed(int key) const {
        return key >= 0 && std::find(brushed.begin(), brushed.end(), key) != brushed.end();
    }
    bool isHovered(int key) const { return key >= 0 && key == hovered; }
    bool isPartner(int key) const { return key >= 0 && key == partner; }
    friend bool operator==(const Highlight&, const Highlight&) = default;
};

/// A figure with everything that is needed to paint it or to find a mark in it.
struct DrawnFigure {
    std::shared_ptr<const analysis::Figure> figure;
    FigureTheme theme;
    FigureGeometry geometry;
    Highlight highlight;
};

}  // namespace dimscope::io
