// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "analysis/calibration/prompt_tensors.h"
#include "analysis/head_loader.h"

namespace dimscope::analysis {

/// Tensors of one head in one prompt and the query rows that each part of a calibration takes from it.
struct HeadRows {
    std::shared_ptr<HeadLoader> loader;  ///< keeps `inputs` alive
    kernels::HeadInputs inputs;
    std::shared_ptr<const PromptTensors> tensors;
    std::vector<Index> train, validation, evaluation;
};

/// One of the three.
using RowsPart = std::vector<Index> HeadRows::*;

}  // namespace dimscope::analysis
