// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/intervention/intervention.h"

namespace dimscope::analysis {

/// One kernel of the retained-error table: R_S of the dump, of its Gaussian control, and of random subsets. NaN where
/// a control was not asked for or is not there yet.
struct RetainedRow {
    std::string kernel;
    double ratio = kNaN, error = kNaN;             ///< R_S and its standard error over cells
    double complement = kNaN;                      ///< R of the other dimensions
    double gaussian = kNaN, gaussianError = kNaN;  ///< mean over draws, standard error over all their cells
    double from = kNaN, median = kNaN, to = kNaN;  ///< random subsets: 2.5, 50 and 97.5 %
    double largest = kNaN;                         ///< of the random subsets
    double p = kNaN;                               ///< at most; of the subsets so far
    std::size_t atLeast = 0;                       ///< subsets that reach R_S
    std::size_t subsets = 0, wanted = 0;           ///< fewer than wanted: the control is not finished
};

/// In the order of result.methods.
std::vector<RetainedRow> retainedRows(const InterventionResult& result);
/// The same for a file, one row per kernel.
Table retainedErrorTable(const InterventionResult& result);

/// Standard deviation of the cells' ratios over the root of their number; NaN below two.
double standardErrorOf(const RetainedRatio& ratio);

}  // namespace dimscope::analysis
