// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "analysis/head_source.h"

namespace dimscope::analysis {

/// How a person wants all kernels of a comparison to be evaluated (sections 13.6 and 13.9).
struct EvaluationParams {
    Index exactFirst = 0;   ///< first keys that stay exact
    Index exactWindow = 0;  ///< latest keys up to the query that stay exact
    bool centreKeys = false;
    std::vector<PromptIndex> train;  ///< gates and key means come from these; empty: split train, calibration, else all

    bool hasExactPart() const { return exactFirst > 0 || exactWindow > 0; }
    friend bool operator==(const EvaluationParams&, const EvaluationParams&) = default;
};

}  // namespace dimscope::analysis
