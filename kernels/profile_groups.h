// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <vector>

#include "kernels/backend.h"

namespace dimscope::kernels {

/// Runs of neighbouring jobs with the same keys, mask and precision of the queries: one pass over the positions serves
/// all of a run. Throws ShapeError where a job does not fit together.
std::vector<std::span<const ProfileJob>> profileGroups(std::span<const ProfileJob> jobs);

}  // namespace dimscope::kernels
