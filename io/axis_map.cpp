// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/axis_map.h"

#include <algorithm>
#include <cmath>

namespace dimscope::io {
namespace {

constexpr double kRounding = 1e-9;  // of the range: a value that sits on the border up to rounding is inside

double scaled(double value, bool log) { return log ? std::log10(value) : value; }

}  // namespace

double AxisMap::position(double value) const {
    if (firstWidth > 0.0) {
        if (value <= 1.0) return start + value * firstWidth;
        return start + firstWidth + (value - 1.0) / (to - 1.0) * (end - start - firstWidth);
    }
    const double a = scaled(from, log), b = scaled(to, log);
    return start + (scaled(value, log) - a) / (b - a) * (end - start);
}

double AxisMap::value(double position) const {
    if (firstWidth > 0.0) {
        const double offset = position - start;
        if (offset <= firstWidth) return offset / firstWidth;
        return 1.0 + (offset - firstWidth) / (end - start - firstWidth) * (to - 1.0);
    }
    const double a = scaled(from, log), b = scaled(to, log);
    const double result = a + (position - start) / (end - start) * (b - a);
    return log ? std::pow(10.0, result) : result;
}

bool AxisMap::holds(double value) const {
    if (!std::isfinite(value) || (log && value <= 0.0)) return false;
    const double a = scaled(std::min(from, to), log), b = scaled(std::max(from, to), log);
    const double slack = kRounding * (b - a);
    return scaled(value, log) >= a - slack && scaled(value, log) <= b + slack;
}

double AxisMap::clamped(double value) const { return std::clamp(value, std::min(from, to), std::max(from, to)); }

AxisMap axisMap(const analysis::Axis& axis, double start, double end) {
    AxisMap map{axis.from, axis.to, start, end, axis.scale == analysis::AxisScale::Log, 0.0};
    if (!std::isfinite(map.from) || !std::isfinite(map.to)) map.from = 0.0, map.to = 1.0;
    if (map.log && (map.from <= 0.0 || map.to <= 0.0)) {
        const double most = std::max(map.from, map.to);
        map.to = most > 0.0 ? most : 1.0;
        map.from = map.to * 1e-3;
    }
    if (map.from == map.to) {
        if (map.log) {
            map.from /= 2.0;
            map.to *= 2.0;
        } else {
            const double half = map.from == 0.0 ? 0.5 : std::abs(map.from) / 2.0;
            map.from -= half;
            map.to += half;
        }
    }
    return map;
}

}  // namespace dimscope::io
