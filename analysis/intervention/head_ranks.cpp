// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/intervention/head_ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/statistics.h"

namespace dimscope::analysis {
namespace {

constexpr std::size_t kRankedAtOnce = 256;  // subsets per head of one piece

/// Error of one head over all prompts with one subset per fold.
double errorOver(const SubsetErrors& errors, const HeadPlace& place, std::size_t kernel, std::size_t prompts,
                 const std::vector<std::vector<int>>& subsetOfFold) {
    SubsetSum all;
    for (std::size_t p = 0; p < prompts; ++p) {
        const std::size_t fold = subsetOfFold.size() == 1 ? 0 : p;
        const auto* sums = errors.sumsOf(place, p);
        if (!sums) continue;
        const SubsetSum& own = (*sums)[kernel][errors.numberOf(fold, place, subsetOfFold[fold])];
        all.error += own.error;
        all.values += own.values;
    }
    return all.error / all.values;
}

void correctOverHeads(const std::vector<std::string>& kernels, std::vector<HeadRank>& ranks) {
    for (const std::string& kernel : kernels) {
        std::vector<double> p;
        for (const HeadRank& rank : ranks)
            if (rank.kernel == kernel) p.push_back(rank.p);
        const std::vector<double> q = benjaminiHochberg(p);
        std::size_t n = 0;
        for (HeadRank& rank : ranks)
            if (rank.kernel == kernel) rank.q = q[n++];
    }
}

/// All subsets of heads that have few.
std::map<HeadPlace, std::vector<std::vector<int>>> listedSubsets(const RetainedChoices& choices, SubsetPool pool,
                                                                 std::size_t limit, const SubsetErrors& errors) {
    std::map<HeadPlace, std::vector<std::vector<int>>> listed;
    if (choices.size() > 1) return listed;
    for (std::size_t n = 0; n < errors.layers().size(); ++n)
        for (const HeadIndex head : errors.headsOf(n)) {
            const HeadPlace place{errors.layers()[n].layer, head};
            if (auto all = allSubsets(choices.front().subsets.at(place), errors.layers()[n].headDim, pool, limit))
                listed.emplace(place, std::move(*all));
        }
    return listed;
}

void evaluateListed(const std::map<HeadPlace, std::vector<std::vector<int>>>& listed, SubsetErrors& errors,
                    const RunControl& control) {
    std::size_t most = 0;
    for (const auto& [place, subsets] : listed) most = std::max(most, subsets.size());
    for (std::size_t from = 0; from < most; from += kRankedAtOnce) {
        SubsetErrors::Lists lists(1);
        for (const auto& [place, subsets] : listed) {
            const std::size_t to = std::min(from + kRankedAtOnce, subsets.size());
            if (from < to)
                lists.front()[place].assign(subsets.begin() + static_cast<std::ptrdiff_t>(from),
                                            subsets.begin() + static_cast<std::ptrdiff_t>(to));
        }
        errors.evaluate(fmt::format("ranks/{:04}", from / kRankedAtOnce), lists,
                        control.parts(from, std::min(from + kRankedAtOnce, most), most));
    }
}

}  // namespace

std::vector<HeadRank> headRanks(const RetainedParams& params, const std::vector<RetainedHead>& heads,
                                const RetainedChoices& choices, SubsetPool pool, std::size_t limit,
                                const std::vector<SubsetDraws>& draws, SubsetErrors& errors, const Pieces& pieces,
                                const RunControl& control) {
    const auto listed = listedSubsets(choices, pool, limit, errors);
    evaluateListed(listed, errors, control);
    std::vector<HeadRank> ranks;
    if (!pieces.complete()) return ranks;
    for (const RetainedHead& head : heads) {
        const HeadPlace place{head.layer, head.head};
        HeadRank rank{head.layer, head.head, head.kernel};
        const auto kernel = static_cast<std::size_t>(
            std::find(params.kernels.begin(), params.kernels.end(), head.kernel) - params.kernels.begin());
        const auto chosen = choices.front().subsets.find(place);
        if (chosen != choices.front().subsets.end() && !chosen->second.empty() && std::isfinite(head.eS)) {
            std::vector<double> others;
            const auto all = listed.find(place);
            rank.exact = all != listed.end();
            for (std::size_t n = 0; n < (rank.exact ? all->second : draws.front().at(place)).size(); ++n) {
                std::vector<std::vector<int>> subsetOfFold;
                if (rank.exact)
                    subsetOfFold.push_back(all->second[n]);
                else
                    for (const SubsetDraws& fold : draws) subsetOfFold.push_back(fold.at(place)[n]);
                others.push_back(errorOver(errors, place, kernel, params.prompts.size(), subsetOfFold));
            }
            rank.of = others.size() + 1;
            rank.rank = 1 + static_cast<std::size_t>(std::count_if(others.begin(), others.end(),
                                                                   [&](double error) { return error >= head.eS; }));
            rank.p = permutationP(others, head.eS);
        }
        ranks.push_back(std::move(rank));
    }
    correctOverHeads(params.kernels, ranks);
    return ranks;
}

}  // namespace dimscope::analysis
