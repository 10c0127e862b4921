// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/head_profile.h"

namespace dimscope::analysis {

/// When a bootstrap replicate supports a cut (kernel-math section 6, step 4).
enum class SupportRule { Rank, Set, Fixed, Tolerance };

struct GroupingParams {
    double alpha = 0.25;  ///< tail that may hold cuts, share of head_dim, 0..1
    double tau = 1.5;     ///< least ratio of neighbours, >= 1
    double gamma = 0.9;   ///< least bootstrap support, 0..1
    int minGroups = 2;
    int replicates = 1000;  ///< B
    SupportRule support = SupportRule::Rank;
    int delta = 1;  ///< ranks of SupportRule::Tolerance
    std::uint64_t seed = 0;
    std::vector<std::vector<int>>
        bootstrap;  ///< injected draws [B][P], ordinals among the profile's prompts; empty: drawn
    friend bool operator==(const GroupingParams&, const GroupingParams&) = default;
};

/// Ascending order of chi (ties by dimension number) and the ratios of its neighbours, denominators at least 1e-12
/// (kernel-math section 6, step 1).
struct SortedChi {
    std::vector<int> order;
    std::vector<double> ratio;  ///< one less
};
SortedChi sortedChi(const std::vector<double>& chi);

/// Groups of one head. Cuts and candidates are zero-based left ranks c: the cut lies between order[c] and order[c+1].
struct HeadGrouping {
    LayerIndex layer;
    HeadIndex head;
    std::vector<double> chi;
    std::vector<int> order;       ///< ascending
    std::vector<double> ratio;    ///< (head_dim - 1)
    std::vector<double> support;  ///< (head_dim - 1)
    std::vector<int> candidates, naturalCuts, cuts;
    std::vector<std::vector<int>> groups;  ///< ascending contribution, bulk first; dimensions in ascending chi
    std::vector<int> outliers;             ///< all but the bulk, ascending dimension number
    bool usable = true;                    ///< false: the head's profile has NaN or Inf
    std::vector<int> labels() const;       ///< (head_dim), group of each dimension
    double outlierShare() const;           ///< of chi
};

struct GroupingResult {
    GroupingParams params;
    std::vector<HeadGrouping> heads;
    std::vector<Warning> warnings;
    Provenance provenance;

    const HeadGrouping* find(LayerIndex layer, HeadIndex head) const;
};

/// Bootstrap grouping of every profiled head. The same draws serve all heads. Throws ArgumentError, Cancelled.
GroupingResult groupHeads(const GroupingParams& params, const ProfileResult& profile, const RunControl& control);

/// One row per head: layer, head, groups, cuts, outliers, share, least support.
Table groupingTable(const GroupingResult& result);
/// One row per candidate cut of one head: rank, between which dimensions, ratio, support, chosen.
Table cutsTable(const GroupingResult& result, const HeadGrouping& head);

SupportRule supportRuleFrom(std::string_view name);  ///< rank | set | fixed | tol; throws ArgumentError
std::string_view supportRuleName(SupportRule rule);

}  // namespace dimscope::analysis
