// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/sequence.h"

namespace dimscope::kernels::state {

/// One job on the state path, computed in T (float or double). Throws ShapeError (shapes, a kernel without a
/// linear-time form, a state of another kernel), Cancelled; then job.state is as it was.
template <class T>
SequenceOutput attendSequence(const SequenceJob& job, const RunControl& control);

/// Whether float holds what the kernel sums up; double otherwise.
bool fitsFloat(const KernelSpec& spec);

}  // namespace dimscope::kernels::state
