// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/experiments/experiment.h"

namespace dimscope::analysis {

/// Every experiment that has a page and a section of the report, in their order.
const std::vector<Experiment>& experimentCatalog();
/// Null where there is none of this name.
const Experiment* findExperiment(const std::string& name);

}  // namespace dimscope::analysis
