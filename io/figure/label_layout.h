// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QRectF>
#include <vector>

namespace dimscope::io {

// Where texts go so that none covers another. Pure functions of positions.

/// Moves positions apart to at least \p spacing, inside [low, high] where they fit, keeping their order and staying
/// as near as possible to what was wanted (least squares). The result is in the order of the input.
std::vector<double> spreadLabels(const std::vector<double>& wanted, double spacing, double low, double high);

bool isFree(const QRectF& rect, const std::vector<QRectF>& taken);

/// The first candidate that touches nothing taken; the first candidate at all where each one touches something.
QRectF firstFree(const std::vector<QRectF>& candidates, const std::vector<QRectF>& taken);

/// Rectangles in order of importance, each pushed along y by \p direction (-1 up, 1 down) off the earlier ones; one
/// that would have to move by more than \p mostSteps of its own height is left out (null rectangle).
std::vector<QRectF> stackLabels(const std::vector<QRectF>& wanted, const std::vector<double>& direction,
                                int mostSteps = 2);

}  // namespace dimscope::io
