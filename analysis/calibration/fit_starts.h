// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>

#include "analysis/calibration/parameter_fit.h"

namespace dimscope::analysis {

/// Packed (l00, l10, l11) with epsilon + |L^T (1, s)|^2 = 1 + s + s^2/2 exactly (section 5.3).
Eigen::Vector3d taylorStart(double epsilon);
/// A global factor written with `groups` groups: the same kernel.
Eigen::VectorXd expandedToGroups(const Eigen::Vector3d& global, int groups);

// The first three starts of each are those of the published recipe, the first of them the kernel without parameters (or
// for OAL the learned global); `count` above three adds more, up to eight.
std::vector<FitStart> globalStarts(double epsilon, int count, kernels::RandomStream random);
std::vector<FitStart> oalStarts(const Eigen::Vector3d& learnedGlobal, int groups, double epsilon, int count,
                                kernels::RandomStream random);
std::vector<FitStart> taylorShiftStarts(int count);
std::vector<FitStart> diJiangStarts(Eigen::Index features, int count, kernels::RandomStream random);

}  // namespace dimscope::analysis
