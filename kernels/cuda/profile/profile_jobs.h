// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/backend.h"
#include "kernels/cuda/rows/device_arena.h"
#include "kernels/cuda/rows/resident_tensors.h"

namespace dimscope::kernels::cuda {

/// Memory that profiles are computed in.
struct ProfileMemory {
    DeviceArena& scratch;
    MirroredArena &inputs, &results;
};

/// Throws as Backend::profile.
std::vector<ProfileOutput> runProfiles(std::span<const ProfileJob> jobs, ProfileMemory memory, ResidentTensors& tensors,
                                       cudaStream_t stream, const RunControl& control);

}  // namespace dimscope::kernels::cuda
