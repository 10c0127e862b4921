// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/calibration/parameter_fit.h"
#include "kernels/kernel_spec.h"

namespace dimscope::analysis {

/// A stream per head and kernel, so that no fit depends on which others run.
kernels::RandomStream fitStream(std::uint64_t seed, kernels::RandomPurpose purpose, kernels::LayerIndex layer,
                                kernels::HeadIndex head, const kernels::KernelSpec& spec);

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

// For kernels without a published recipe: as they are untrained, beside that, and drawn anew in the way their authors
// start.
/// `drawn`: (B, G, S); the third is a draw for the same permutation.
std::vector<FitStart> spectraFormerStarts(const Eigen::VectorXd& drawn, int count, kernels::RandomStream random);
/// `maps`: (w_q, w_k); the third has entries uniform within 1 / sqrt(head_dim).
std::vector<FitStart> hedgehogStarts(const Eigen::VectorXd& maps, int count, kernels::RandomStream random);

}  // namespace dimscope::analysis
