// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "analysis/intervention/subset_choice.h"

namespace dimscope::analysis {

/// What random subsets are drawn from.
enum class SubsetPool {
    Bulk,  ///< all dimensions but S: the paper's
    All,   ///< all dimensions: exchangeable with S
};
SubsetPool subsetPoolFrom(std::string_view name);  ///< bulk | all; throws ArgumentError
std::string_view subsetPoolName(SubsetPool pool);

/// Subsets of every head, [replicate], dimensions ascending.
using SubsetDraws = std::map<HeadPlace, std::vector<std::vector<int>>>;

/// `replicates` draws of |S_h| dimensions without replacement for every head of `subsets`, keyed by (seed, layer,
/// head, fold). `headDims`: of every layer. Throws ArgumentError where the pool is too small.
SubsetDraws drawnSubsets(const HeadSubsets& subsets, const std::map<LayerIndex, Index>& headDims, SubsetPool pool,
                         int replicates, std::uint64_t seed, std::size_t fold);

/// /subsets/{LL}/draws of a parameter file, [B, Hq, n] with -1 as padding; nothing where it has none. Throws
/// FormatError (a layer without draws or with another B, a dimension outside the head or twice in a draw).
std::optional<SubsetDraws> injectedSubsets(const kernels::ParameterSet& parameters,
                                           const std::vector<LayerInfo>& layers);

/// All subsets of `size` dimensions of the pool but S itself, in lexicographic order; nothing where there are more than
/// `limit`.
std::optional<std::vector<std::vector<int>>> allSubsets(const std::vector<int>& subset, Index headDim, SubsetPool pool,
                                                        std::size_t limit);

}  // namespace dimscope::analysis
