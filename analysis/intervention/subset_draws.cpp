// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/intervention/subset_draws.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "analysis/statistics.h"
#include "kernels/error.h"
#include "kernels/random_stream.h"

namespace dimscope::analysis {
namespace {

std::vector<int> poolOf(const std::vector<int>& subset, Index headDim, SubsetPool pool) {
    std::vector<int> from;
    for (int r = 0; r < static_cast<int>(headDim); ++r)
        if (pool == SubsetPool::All || !std::binary_search(subset.begin(), subset.end(), r)) from.push_back(r);
    return from;
}

std::vector<std::vector<int>> drawsOfHead(std::vector<int> from, std::size_t size, int replicates,
                                          kernels::RandomStream random) {
    std::vector<std::vector<int>> draws;
    for (int b = 0; b < replicates; ++b) {
        for (std::size_t n = 0; n < size; ++n) std::swap(from[n], from[n + random.below(from.size() - n)]);
        draws.emplace_back(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(size));
        std::sort(draws.back().begin(), draws.back().end());
    }
    return draws;
}

/// One draw of one head without its padding.
std::vector<int> drawAt(const kernels::ParameterArray& array, std::size_t at, const LayerInfo& layer,
                        const std::string& file) {
    std::vector<int> draw;
    for (std::size_t n = at; n < at + static_cast<std::size_t>(array.shape[2]); ++n)
        if (array.values[n] >= 0.0) draw.push_back(static_cast<int>(std::llround(array.values[n])));
    std::sort(draw.begin(), draw.end());
    const bool twice = std::adjacent_find(draw.begin(), draw.end()) != draw.end();
    if (twice || (!draw.empty() && draw.back() >= static_cast<int>(layer.headDim)))
        throw kernels::FormatError(
            {file, fmt::format("/subsets/{:02}/draws", layer.layer.value),
             twice ? "a draw holds a dimension twice"
                   : fmt::format("a draw holds dimension {}, expected 0..{}", draw.back(), layer.headDim - 1),
             "see resources/docs/formats.md, section 2"});
    return draw;
}

}  // namespace

SubsetPool subsetPoolFrom(std::string_view name) {
    for (const SubsetPool pool : {SubsetPool::Bulk, SubsetPool::All})
        if (subsetPoolName(pool) == name) return pool;
    throw kernels::ArgumentError(fmt::format("pool '{}', expected bulk or all", name));
}

std::string_view subsetPoolName(SubsetPool pool) { return pool == SubsetPool::Bulk ? "bulk" : "all"; }

SubsetDraws drawnSubsets(const HeadSubsets& subsets, const std::map<LayerIndex, Index>& headDims, SubsetPool pool,
                         int replicates, std::uint64_t seed, std::size_t fold) {
    SubsetDraws draws;
    for (const auto& [place, subset] : subsets) {
        const Index headDim = headDims.at(place.first);
        std::vector<int> from = poolOf(subset, headDim, pool);
        if (from.size() < subset.size())
            throw kernels::ArgumentError(fmt::format(
                "layer {} head {}: {} of {} dimensions are selected, so the bulk has too few to draw as many from",
                place.first.value, place.second.value, subset.size(), headDim));
        draws[place] = drawsOfHead(std::move(from), subset.size(), replicates,
                                   {seed, kernels::RandomPurpose::RandomSubsets, place.first.value,
                                    place.second.value + 4096 * static_cast<int>(fold)});
    }
    return draws;
}

std::optional<SubsetDraws> injectedSubsets(const kernels::ParameterSet& parameters,
                                           const std::vector<LayerInfo>& layers) {
    if (parameters.subsetDraws.empty()) return std::nullopt;
    SubsetDraws draws;
    std::optional<Index> replicates;
    for (const LayerInfo& layer : layers) {
        const auto refuse = [&](const std::string& cause) {
            throw kernels::FormatError({parameters.name, fmt::format("/subsets/{:02}/draws", layer.layer.value), cause,
                                        "give draws for all selected layers, or none"});
        };
        const auto found = parameters.subsetDraws.find(layer.layer);
        if (found == parameters.subsetDraws.end()) refuse("it is missing, while another layer has draws");
        const kernels::ParameterArray& array = found->second;
        if (array.shape[1] != layer.nHeads)
            refuse(fmt::format("it has {} heads, the layer has {}", array.shape[1], layer.nHeads));
        if (replicates && *replicates != array.shape[0])
            refuse(fmt::format("it has {} draws, another layer {}", array.shape[0], *replicates));
        replicates = array.shape[0];
        const auto width = static_cast<std::size_t>(array.shape[2]);
        for (std::size_t b = 0; b < static_cast<std::size_t>(array.shape[0]); ++b)
            for (int head = 0; head < layer.nHeads; ++head)
                draws[{layer.layer, HeadIndex{head}}].push_back(
                    drawAt(array, (b * static_cast<std::size_t>(layer.nHeads) + static_cast<std::size_t>(head)) * width,
                           layer, parameters.name));
    }
    return draws;
}

std::optional<std::vector<std::vector<int>>> allSubsets(const std::vector<int>& subset, Index headDim, SubsetPool pool,
                                                        std::size_t limit) {
    const std::vector<int> from = poolOf(subset, headDim, pool);
    const std::size_t size = subset.size();
    if (size == 0 || size > from.size() || binomial(from.size(), size) > static_cast<double>(limit))
        return std::nullopt;
    std::vector<std::size_t> places(size);
    std::iota(places.begin(), places.end(), std::size_t{0});
    std::vector<std::vector<int>> all;
    for (;;) {
        std::vector<int> chosen;
        for (const std::size_t place : places) chosen.push_back(from[place]);
        if (chosen != subset) all.push_back(std::move(chosen));
        std::size_t n = size;
        while (n > 0 && places[n - 1] == from.size() - size + n - 1) --n;
        if (n == 0) return all;
        ++places[n - 1];
        for (; n < size; ++n) places[n] = places[n - 1] + 1;
    }
}

}  // namespace dimscope::analysis
