// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "analysis/budget/budget_partitions.h"
#include "analysis/selection.h"
#include "analysis/table.h"

namespace dimscope::analysis {

struct BudgetParams {
    Selection selection;  ///< layers, heads, length and the prompts that judge
    /// Prompts that orders, cuts and factors come from; empty: as a calibration chooses them.
    std::vector<PromptIndex> train, validation;
    GroupingParams grouping;
    std::vector<int> groups{1, 2, 3, 4, 5, 6, 8, 0};  ///< 0: every dimension its own group
    int rows = 0;                                     ///< rows that judge, per prompt; 0: all
    int fitRows = 96;                                 ///< rows per prompt that are fitted and validated; 0: all
    int randomPartitions = 20;                        ///< per number of groups, sizes of the largest gaps of chi
    int randomCuts = 3;                               ///< of the order of chi
    int starts = 3;                                   ///< of every fit
    std::uint64_t seed = 0;
    int threads = 0;  ///< fits at a time, 0: all cores; the result does not depend on it
};

/// One kind of partition, pooled over heads.
struct BudgetPoint {
    std::string order, cutRule;
    int draw = -1;                                 ///< ordinal among random ones, else -1
    double groups = 0.0, parameters = 0;           ///< means over heads
    double mse = kNaN, relMse = kNaN;              ///< judged; pooled over heads, prompts, rows and coordinates
    double trainMse = kNaN, validationMse = kNaN;  ///< means over heads
    std::string fit;                               ///< "gauss-newton", "l-bfgs"
    /// No named partition has fewer parameters and a smaller error. Random ones are never on the front: the best of
    /// many draws is known only from the errors themselves.
    bool front = false;
};

struct BudgetHead {
    LayerIndex layer;
    HeadIndex head;
    std::size_t point = 0;  ///< of BudgetResult::points
    Partition partition;
    double mse = kNaN, relMse = kNaN;
};

struct BudgetResult {
    std::vector<PromptIndex> prompts;  ///< those that judge
    std::vector<BudgetPoint> points;
    std::vector<BudgetHead> heads;  ///< by head, points within
    std::vector<Warning> warnings;
    Provenance provenance;
};

/// One layer in the middle and one query head of every key/value head: what is computed in a minute.
Selection smallBudgetSelection(const DumpInfo& info);

/// Error of the quadratic kernel against its number of groups and parameters (kernel-math section 6, figure 2b): every
/// partition fitted by gauss-newton on training prompts, judged at all rows of the others. One group is the global
/// quadratic. With every dimension its own group the factor has (d + 1)(d + 2)/2 entries, too many for normal
/// equations: it is fitted by L-BFGS from the best grouped factor, on as many of the training rows as fit in memory.
/// Throws ArgumentError, FormatError, Cancelled.
BudgetResult groupBudget(const BudgetParams& params, HeadSource& source, kernels::Backend& backend,
                         const RunControl& control);

/// Points of one kind and number of groups: a named one, or all draws of a random one.
struct BudgetSummaryRow {
    double groups = 0.0, parameters = 0.0;
    std::string order, cutRule;
    double mse = kNaN, relMse = kNaN;  ///< of random ones their medians
    std::size_t draws = 0;             ///< 0: a named one
    double least = kNaN, most = kNaN;  ///< relMse of the draws
    bool front = false;
};
/// In the order of the points.
std::vector<BudgetSummaryRow> budgetSummaryRows(const BudgetResult& result);

/// One row per point.
Table budgetTable(const BudgetResult& result);
/// One row per head and point.
Table budgetHeadTable(const BudgetResult& result);

}  // namespace dimscope::analysis
