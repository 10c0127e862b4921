// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/fidelity/fidelity_sums.h"
#include "kernels/backend.h"

namespace dimscope::analysis {

/// Weight rows of a kernel against those of exact attention, (rows, keys) each; rows that are bad in either are left
/// out.
WeightSums weightAgreement(const kernels::RowsOutput& exact, const kernels::RowsOutput& kernel);

}  // namespace dimscope::analysis
