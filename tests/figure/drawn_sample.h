// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "io/figure/drawn_figure.h"

namespace dimscope::io {

/// A figure laid out as FigureChart does it.
inline DrawnFigure drawnSample(analysis::Figure figure, const FigureTheme& theme, QSizeF size) {
    DrawnFigure drawn{std::make_shared<const analysis::Figure>(std::move(figure)), theme, {}, {}};
    drawn.geometry = layoutFigure(*drawn.figure, theme, size);
    return drawn;
}

template <class Kind>
const Kind& nthMark(const analysis::Panel& panel, std::size_t n) {
    for (const analysis::Mark& mark : panel.marks)
        if (const auto* kind = std::get_if<Kind>(&mark); kind && n-- == 0) return *kind;
    throw std::out_of_range("the panel has fewer marks of this kind");
}

}  // namespace dimscope::io
