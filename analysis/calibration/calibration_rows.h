// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/calibration/calibration.h"

namespace dimscope::analysis {

/// Query rows of one prompt for each part of a calibration.
struct CalibrationRows {
    PromptIndex prompt;
    std::vector<Index> train, validation, evaluation;
};

/// Rows of every prompt that takes part, ascending; drawn without replacement, the same for all heads and kernels. A
/// prompt that both trains and validates gives every fourth row to validation; rows of evaluation are none of those.
/// Throws ArgumentError.
std::vector<CalibrationRows> calibrationRows(const CalibrationParams& params, HeadSource& source, Index length,
                                             std::vector<Warning>& warnings);

}  // namespace dimscope::analysis
