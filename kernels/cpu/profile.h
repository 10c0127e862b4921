// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/backend.h"

namespace dimscope::kernels::cpu {

/// Profiles of query heads that share key and mask (one GQA group of one prompt), in one pass over the positions:
/// O(rows dim) per head, prefix sums in double.
std::vector<ProfileOutput> profileGroup(std::span<const ProfileJob> jobs, const RunControl& control);

}  // namespace dimscope::kernels::cpu
