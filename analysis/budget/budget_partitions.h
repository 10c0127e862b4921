// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "analysis/grouping.h"

namespace dimscope::analysis {

/// The dimensions of one head in groups 0 .. groups - 1.
struct Partition {
    std::string order;            ///< "chi", "chi_eff", "q", "k", "rope", "random", "none"
    std::string cutRule;          ///< "gap", "grouping", "random", "equal", "size-matched", "none"
    int asked = 1;                ///< groups asked for; 0: those of the grouping
    int draw = -1;                ///< ordinal among random ones
    std::vector<int> cuts = {};   ///< zero-based left ranks in the order; empty for random orders
    std::vector<int> label = {};  ///< (head_dim)

    int groups() const;
    /// Entries of the packed factor, (G + 1)(G + 2) / 2 (kernel-math section 5.1).
    int parameters() const;
};

/// The G - 1 largest ratios of neighbours over the whole range, ties to the lower rank; ascending (section 6).
std::vector<int> largestGaps(const std::vector<double>& ratio, int groups);
/// Groups between the cuts of an ascending order, the lowest first.
std::vector<int> labelsBetween(const std::vector<int>& order, const std::vector<int>& cuts);
/// Rotation frequency of every dimension, 0 where it is not rotated (section 13.7).
std::vector<double> ropeFrequencies(const LayerInfo& layer);

struct PartitionParams {
    std::vector<int> groups;  ///< 0, and numbers not below head_dim: every dimension its own group
    int randomPartitions = 20;
    int randomCuts = 3;
    std::uint64_t seed = 0;
};

/// All partitions of one head, in an order that is the same for every head: one group; for every number of groups cuts
/// at the largest gaps of chi, effective chi, |q| and |k|, equal parts by rotation frequency, random cuts of chi,
/// random partitions with the sizes of those at the largest gaps of chi; the head's grouping; every dimension for
/// itself.
std::vector<Partition> budgetPartitions(const PartitionParams& params, const LayerInfo& layer,
                                        const HeadProfile& profile, const HeadGrouping& grouping);

}  // namespace dimscope::analysis
