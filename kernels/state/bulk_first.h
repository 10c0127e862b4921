// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/kernel_spec.h"
#include "kernels/matrix.h"

namespace dimscope::kernels::state {

/// The quadratic form of OAL as a sum of squares with few full-width terms:
/// kappa = floor + sum_{c < G} (offset_c + sum_{g >= c} weight(g, c) s_g)^2.
struct BulkFirst {
    double floor = 0.0;          ///< epsilon + the square of what only the constant has
    std::vector<double> offset;  ///< (G)
    Matrix<double> weight;       ///< (G groups, G columns), lower triangular: only column 0 touches the bulk
};

/// M = L L^T is factored again in the order (bulk, other groups, constant) instead of (constant, bulk, ..): exact for
/// every positive semi-definite M. A QR factorisation of the permuted L^T does it without forming M, so a factor of low
/// rank loses nothing.
BulkFirst bulkFirst(const Oal& spec);

}  // namespace dimscope::kernels::state
