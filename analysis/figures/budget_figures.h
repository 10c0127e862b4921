// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/budget/budget.h"
#include "analysis/figure.h"

namespace dimscope::analysis {

/// Judged RelMSE against parameters per head, both logarithmic: one line per order and cut rule, the Pareto front of
/// the named partitions joined, random partitions as light points. Hover keys are places in result.points.
Figure budgetFigure(const BudgetResult& result);

}  // namespace dimscope::analysis
