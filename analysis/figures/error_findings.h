// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/budget/budget.h"
#include "analysis/fidelity/fidelity.h"
#include "analysis/figures/findings.h"

namespace dimscope::analysis {

// At most five sentences each, strongest first; nothing about what has no number.
std::vector<Finding> fidelityFindings(const FidelityResult& result);
std::vector<Finding> budgetFindings(const BudgetResult& result);

}  // namespace dimscope::analysis
