// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/budget/ungrouped_rows.h"
#include "kernels/kernel_spec.h"

namespace dimscope::analysis {

/// The same kernel with every dimension its own group.
kernels::Oal ungrouped(const kernels::Oal& grouped);

struct UngroupedFit {
    kernels::Oal spec;
    double trainMse = kNaN, validationMse = kNaN;
    int iterations = 0;
};

/// epsilon + |L^T (1, x)|^2 with all entries of L free, L-BFGS from `start` (any grouped kernel); the point of least
/// validation error is kept, the start among them. Throws Cancelled.
UngroupedFit fitUngrouped(const kernels::Oal& start, const UngroupedRows& train, const UngroupedRows& validation,
                          kernels::cpu::WorkerPool& pool, const RunControl& control);

}  // namespace dimscope::analysis
