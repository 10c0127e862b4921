// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/contribution/stability.h"

#include <algorithm>
#include <cmath>

#include "analysis/contribution/prefix_contributions.h"
#include "analysis/contribution/top_dimensions.h"
#include "analysis/head_loader.h"
#include "analysis/head_profile.h"
#include "kernels/backend_registry.h"
#include "kernels/error.h"
#include "tests/support/compare.h"
#include "tests/support/memory_source.h"

namespace dimscope::tests {
namespace {

using namespace analysis;

/// Sums of non-negative terms in another order: no cancellation.
constexpr double kRounding = 1e-12;

MemorySource paddedSource(int prompts) {
    MemorySource source({.prompts = prompts, .positions = 24, .headDim = 8});
    std::vector<std::uint8_t> holes(24, 1);
    for (const std::size_t i : {0U, 1U, 2U, 3U, 11U, 23U}) holes[i] = 0;
    source.setValidity(1, holes);
    return source;
}

// One pass gives what the profile of every shortened head gives: causal, with a window, without a mask, with padding.
TEST(PrefixContributions, AreProfilesOfShortenedHeads) {
    const auto backend = kernels::makeBackend("reference");
    for (const auto& [causal, window] : {std::pair{true, Index{0}}, {true, Index{5}}, {false, Index{0}}}) {
        MemorySource source = paddedSource(2);
        source.editInfo().layers[0].causal = causal;
        source.editInfo().layers[0].window = window;
        HeadLoader loader(source, source.info().layers[0], PromptIndex{1}, 24, false);
        const kernels::HeadInputs inputs = loader.inputs(HeadIndex{3}, {});
        const std::vector<Index> lengths{1, 4, 5, 12, 17, 24};
        const kernels::Matrix<double> chi = prefixContributions(inputs, lengths, {});
        for (std::size_t l = 0; l < lengths.size(); ++l) {
            const std::vector<double> row(chi.row(static_cast<Index>(l)), chi.row(static_cast<Index>(l)) + 8);
            if (lengths[l] <= 4) {  // padding alone
                EXPECT_TRUE(std::all_of(row.begin(), row.end(), [](double x) { return std::isnan(x); }));
                continue;
            }
            Selection selection{{LayerIndex{3}}, {HeadIndex{3}}, {PromptIndex{1}}, lengths[l]};
            const ProfileResult profile = profileHeads(selection, source, *backend, {});
            EXPECT_TRUE(near(row, profile.heads.front().chi, kRounding)) << causal << window << " " << lengths[l];
        }
    }
}

TEST(PrefixContributions, LengthsArePowersOfTwoAndTheWhole) {
    EXPECT_EQ(prefixLengths(100), (std::vector<Index>{16, 32, 64, 100}));
    EXPECT_EQ(prefixLengths(64), (std::vector<Index>{16, 32, 64}));
    EXPECT_EQ(prefixLengths(3), (std::vector<Index>{3}));
}

TEST(TopDimensions, SharesAndOverlapByHand) {
    const std::vector<double> chi{1.0, 4.0, 2.0, 2.0, 1.0};  // sum 10
    EXPECT_EQ(topDimensions(chi, 3), (std::vector<int>{1, 3, 2}));
    EXPECT_EQ(topDimensions(chi, 9).size(), 5U);
    EXPECT_DOUBLE_EQ(shareOf({1, 0}, chi), 0.5);
    EXPECT_DOUBLE_EQ(topShareOf(chi, 2), 0.6);
    EXPECT_DOUBLE_EQ(effectiveDimensions(chi), 1.0 / 0.26);
    EXPECT_TRUE(near(lorenzCurve(chi), std::vector<double>{0.0, 0.1, 0.2, 0.4, 0.6, 1.0}, kRounding));
    EXPECT_DOUBLE_EQ(overlapOf({1, 2, 3}, {3, 4, 1}), 2.0 / 3.0);
    EXPECT_TRUE(std::isnan(topShareOf({0.0, 0.0}, 1)));
    EXPECT_TRUE(std::isnan(effectiveDimensions({0.0, 0.0})));
    EXPECT_TRUE(std::isnan(lorenzCurve({0.0, kNaN}).front()));
}

// The strongest dimensions at a prefix are at least as strong there as those of full length.
TEST(Stability, SharesByLengthAddUp) {
    MemorySource source({.prompts = 4, .positions = 40});
    const StabilityResult result = contributionStability({.lengths = {5, 20}}, source, {});
    EXPECT_EQ(result.lengths, (std::vector<Index>{5, 20, 40}));
    EXPECT_EQ(result.parts, "halves");
    ASSERT_EQ(result.heads.size(), 8U);
    for (const HeadStability& head : result.heads) {
        ASSERT_EQ(head.top.size(), 5U);
        for (std::size_t l = 0; l < 3; ++l) {
            double sum = 0.0;
            for (Index t = 0; t < 5; ++t) sum += head.topShares(static_cast<Index>(l), t);
            EXPECT_NEAR(sum, head.fixedShare[l], kRounding);
            EXPECT_GE(head.reselectedShare[l], head.fixedShare[l] - kRounding);
        }
        EXPECT_DOUBLE_EQ(head.fixedShare.back(), head.reselectedShare.back());
        EXPECT_EQ(head.lengthOverlap.back(), 1.0);
        double frequencies = 0.0;
        for (const double f : head.topFrequency) frequencies += f;
        EXPECT_NEAR(frequencies, 5.0, 1e-9);  // five dimensions in each of 1000 replicates
        EXPECT_EQ(head.prompts.size(), 4U);
    }
    EXPECT_EQ(stabilityTable(result).rows(), 2U);
    EXPECT_EQ(headStabilityTable(result).rows(), 8U);
    EXPECT_EQ(prefixShareTable(result).rows(), 8U * 5U * 3U);
    EXPECT_EQ(promptAgreementTable(result).rows(), 2U * 4U);
}

TEST(Stability, CalibrationPromptsAgainstTheRest) {
    MemorySource source({.prompts = 4});
    source.editInfo().prompts[1].split = source.editInfo().prompts[2].split = "calibration";
    const StabilityResult result = contributionStability({}, source, {});
    EXPECT_EQ(result.parts, "calibration and the rest");
    EXPECT_EQ(result.first, (std::vector<PromptIndex>{PromptIndex{1}, PromptIndex{2}}));
    EXPECT_EQ(result.second, (std::vector<PromptIndex>{PromptIndex{0}, PromptIndex{3}}));
    // Where all selected prompts are calibration prompts there is no rest: halves.
    StabilityParams params;
    params.selection.prompts = {PromptIndex{1}, PromptIndex{2}};
    EXPECT_EQ(contributionStability(params, source, {}).parts, "halves");
}

TEST(Stability, OnePromptHasNoAgreementAndSaysSo) {
    MemorySource source({.prompts = 1});
    const StabilityResult result = contributionStability({}, source, {});
    EXPECT_TRUE(result.parts.empty());
    for (const HeadStability& head : result.heads) {
        EXPECT_TRUE(std::isnan(head.rho) && std::isnan(head.topOverlap) && std::isnan(head.setFrequency));
        EXPECT_TRUE(std::isnan(head.topFrequency[0]) && std::isnan(head.prompts[0].rho));
        EXPECT_TRUE(std::isfinite(head.fixedShare.back()));
    }
    EXPECT_TRUE(std::isnan(result.layers[0].rho));
    EXPECT_FALSE(result.layers[0].rhoInterval);
    EXPECT_TRUE(std::any_of(result.warnings.begin(), result.warnings.end(),
                            [](const Warning& warning) { return warning.code == "one_prompt"; }));
}

TEST(Stability, IntervalsFromEightPromptsOn) {
    for (const int prompts : {7, 8}) {
        MemorySource source({.prompts = prompts});
        const StabilityResult result = contributionStability({.replicates = 20}, source, {});
        for (const LayerStability& layer : result.layers) {
            ASSERT_EQ(layer.rhoInterval.has_value(), prompts == 8);
            EXPECT_EQ(layer.prompts.size(), static_cast<std::size_t>(prompts));
            if (!layer.rhoInterval) continue;
            EXPECT_LT(layer.rhoInterval->first, layer.rhoInterval->second);
            EXPECT_LE(layer.topOverlapInterval->second, 1.0);
        }
    }
}

TEST(Stability, AHeadThatIsNotFiniteIsMarked) {
    MemorySource source({});
    source.poison(3, 1);
    const StabilityResult result = contributionStability({}, source, {});
    for (const HeadStability& head : result.heads) {
        const bool poisoned = head.layer == LayerIndex{3} && head.head == HeadIndex{1};
        EXPECT_EQ(head.usable, !poisoned);
        EXPECT_EQ(std::isnan(head.rho), poisoned);
        EXPECT_EQ(head.fixedShare.size(), result.lengths.size());
    }
    EXPECT_EQ(result.layers[0].usableHeads, 3);
    EXPECT_TRUE(std::isfinite(result.layers[0].rho));
}

TEST(Stability, TheSeedDecidesTheReplicates) {
    MemorySource source({.prompts = 5, .headDim = 16});
    const auto frequencies = [&](std::uint64_t seed) {
        std::vector<double> all;
        for (const HeadStability& head : contributionStability({.replicates = 50, .seed = seed}, source, {}).heads)
            all.insert(all.end(), head.topFrequency.begin(), head.topFrequency.end());
        return all;
    };
    EXPECT_EQ(frequencies(1), frequencies(1));
    EXPECT_NE(frequencies(1), frequencies(2));
}

TEST(Stability, RefusesAndStops) {
    MemorySource source({});
    EXPECT_THROW(contributionStability({.lengths = {0}}, source, {}), kernels::ArgumentError);
    EXPECT_THROW(contributionStability({.lengths = {25}}, source, {}), kernels::ArgumentError);
    EXPECT_THROW(contributionStability({.top = 0}, source, {}), kernels::ArgumentError);
    const RunControl cancelled;
    cancelled.cancel();
    EXPECT_THROW(contributionStability({}, source, cancelled), kernels::Cancelled);
}

}  // namespace
}  // namespace dimscope::tests
