// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/row_sampling.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/error.h"
#include "kernels/random_stream.h"

namespace dimscope::analysis {
namespace {

/// Those that have a query.
std::vector<Index> validPositions(HeadSource& source, PromptIndex prompt, Index length) {
    const auto validity = source.validity(prompt);
    const auto [first, end] = source.info().queries();
    std::vector<Index> positions;
    for (Index i = first; i < std::min(end, length); ++i)
        if (!validity || (*validity)[static_cast<std::size_t>(i)] != 0) positions.push_back(i);
    return positions;
}

/// First `count` of a random permutation (partial Fisher-Yates), ascending.
std::vector<Index> draw(std::vector<Index> positions, std::size_t count, kernels::RandomStream& random) {
    for (std::size_t n = 0; n < count; ++n) std::swap(positions[n], positions[n + random.below(positions.size() - n)]);
    positions.resize(count);
    std::sort(positions.begin(), positions.end());
    return positions;
}

}  // namespace

std::vector<std::vector<Index>> sampleRows(const std::vector<PromptIndex>& prompts, HeadSource& source, Index length,
                                           int count, std::uint64_t seed, std::vector<Warning>& warnings) {
    if (count < 0) throw kernels::ArgumentError(fmt::format("rows {}, expected 1 or more", count));
    std::vector<std::vector<Index>> valid = validRows(prompts, source, length);
    std::size_t fewest = SIZE_MAX, most = 0;
    for (const std::vector<Index>& positions : valid) {
        fewest = std::min(fewest, positions.size());
        most = std::max(most, positions.size());
    }
    const std::size_t wanted = count == 0 ? most : static_cast<std::size_t>(count);
    if (fewest < wanted)
        warnings.push_back(
            {"fewer-rows", "",
             fmt::format("a prompt has only {} valid positions; every prompt gives {} query rows", fewest, fewest)});
    std::vector<std::vector<Index>> rows;
    for (std::size_t p = 0; p < prompts.size(); ++p) {
        kernels::RandomStream random(seed, kernels::RandomPurpose::QueryRows, 0, prompts[p].value);
        rows.push_back(draw(std::move(valid[p]), std::min(fewest, wanted), random));
    }
    return rows;
}

std::vector<std::vector<Index>> validRows(const std::vector<PromptIndex>& prompts, HeadSource& source, Index length) {
    std::vector<std::vector<Index>> valid;
    for (const PromptIndex prompt : prompts) {
        valid.push_back(validPositions(source, prompt, length));
        if (valid.back().empty())
            throw kernels::ArgumentError(fmt::format(
                "prompt {} has no valid position{} among the first {}; leave it out or use a greater length",
                prompt.value, source.info().queries().holdsAll(length) ? "" : " with a query", length));
    }
    return valid;
}

void checkPositions(const std::vector<std::vector<Index>>& positions, const std::vector<PromptIndex>& prompts,
                    HeadSource& source, Index length) {
    if (positions.size() != prompts.size())
        throw kernels::ArgumentError(
            fmt::format("positions are given for {} prompts, {} are selected", positions.size(), prompts.size()));
    for (std::size_t p = 0; p < prompts.size(); ++p) {
        const auto validity = source.validity(prompts[p]);
        if (positions[p].empty() || positions[p].size() != positions.front().size())
            throw kernels::ArgumentError("every prompt needs the same number of positions, at least one");
        for (const Index i : positions[p]) {
            if (i < 0 || i >= length)
                throw kernels::ArgumentError(
                    fmt::format("position {}: prompt {} has positions 0..{}", i, prompts[p].value, length - 1));
            if (validity && (*validity)[static_cast<std::size_t>(i)] == 0)
                throw kernels::ArgumentError(fmt::format("position {} of prompt {} is padding", i, prompts[p].value));
            if (const auto [first, end] = source.info().queries(); i < first || i >= end)
                throw kernels::ArgumentError(
                    fmt::format("position {} has no query; the dump has queries of positions {}..{}", i, first,
                                std::min(end, length) - 1));
        }
    }
}

std::vector<std::vector<Index>> chosenRows(const std::vector<std::vector<Index>>& given,
                                           const std::vector<PromptIndex>& prompts, HeadSource& source, Index length,
                                           int count, std::uint64_t seed, std::vector<Warning>& warnings) {
    if (given.empty()) return sampleRows(prompts, source, length, count, seed, warnings);
    checkPositions(given, prompts, source, length);
    return given;
}

}  // namespace dimscope::analysis
