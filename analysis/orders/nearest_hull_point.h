// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <Eigen/Core>

#include "kernels/run_control.h"

namespace dimscope::analysis {

/// How far a point lies from the convex hull of others, between two bounds that each have a witness.
struct HullDistance {
    double distance = 0.0;  ///< |point - nearest|, of a point inside the hull: the true distance is at most this
    double least = 0.0;  ///< from the plane that separates the hull from the point: the true distance is at least this
    int steps = 0;
    double gap() const { return distance - least; }
};

/// Bound on gap(), as a multiple of the largest distance from the point to one of the others. In double an inner
/// product of the search is off by about 1e-16 of that distance squared, which leaves 1e-10 of it in the bounds where
/// the distance itself is a millionth of it.
inline constexpr double kHullTolerance = 1e-9;

/// Wolfe's nearest-point algorithm (Wolfe 1976, Finding the nearest point in a polytope): an active set of affinely
/// independent points, at most dim + 1, whose convex combination comes nearer in every step. Ends when the gap is
/// within kHullTolerance, or where rounding lets no point come nearer: `least` then says what is certain.
/// \p points: (dim, count), count >= 1; a step costs O(dim count + active^2). Throws Cancelled.
HullDistance nearestHullPoint(const Eigen::MatrixXd& points, const Eigen::VectorXd& point,
                              const kernels::RunControl& control);

}  // namespace dimscope::analysis
