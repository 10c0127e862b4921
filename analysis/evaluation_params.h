// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
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

/// "first 4 and latest 64 keys exact", "centred keys" or both, for captions and sentences; empty where neither is on.
std::string evaluationText(const EvaluationParams& params);

}  // namespace dimscope::analysis
