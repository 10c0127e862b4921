// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/figure.h"

namespace dimscope::io {

/// Data value to position along an axis and back. from > to and start > end are both allowed.
struct AxisMap {
    double from = 0.0, to = 1.0;    ///< data, both positive when log
    double start = 0.0, end = 1.0;  ///< positions of from and to
    bool log = false;
    double firstWidth = 0.0;  ///< > 0: the values 0..1 take this much room (heat maps with a wide first column)

    double position(double value) const;
    double value(double position) const;
    /// Finite and inside the range, borders included.
    bool holds(double value) const;
    /// Nearest value inside the range: a log axis has no place for 0.
    double clamped(double value) const;
};

/// A map with a usable range whatever the axis says: not empty, finite, positive on a log axis.
AxisMap axisMap(const analysis::Axis& axis, double start, double end);

}  // namespace dimscope::io
