// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/intervention/subset_errors.h"

namespace dimscope::analysis {

/// R with the first `dimensions` of every head's order approximated.
struct DosePoint {
    std::string kernel;
    bool random = false;            ///< mean over random orders; false: in order of contribution, largest first
    Index dimensions = 0;           ///< of every head; all it has where it has fewer
    double chiShare = kNaN;         ///< of chi held by them, mean over heads
    double varianceShare = kNaN;    ///< variance over keys of their part of the logit over that of the whole, mean over
                                    ///< heads; terms of opposite sign let it exceed 1
    double ratio = kNaN;            ///< R, mean over the cells
    double from = kNaN, to = kNaN;  ///< 95 % of the random orders; NaN in order of contribution
};

/// Numbers of dimensions at which a dose curve is taken: 1, 2, 3, 5, 8, 12, 16, 24, 32, ... and all.
std::vector<Index> doseNumbers(Index headDim);

/// Dose curves of all kernels, in order of contribution first. `groupings`: per fold, for the order; `draws` random
/// orders, the same for all kernels. `observed`: for E_full. Pieces "dose/..." and "dose-variance/...". Empty before
/// all pieces are there. Throws Cancelled and what retainedErrors throws.
std::vector<DosePoint> doseCurve(const RetainedParams& params, const std::vector<RetainedMethod>& observed,
                                 const std::vector<GroupingResult>& groupings, int draws, SubsetErrors& errors,
                                 HeadSource& source, Pieces& pieces, const RunControl& control);

}  // namespace dimscope::analysis
