// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/statistics.h"

#include <gtest/gtest.h>

#include <cmath>

namespace dimscope::tests {
namespace {

using namespace analysis;

TEST(Statistics, QuantilesLieBetweenOrderStatistics) {
    const std::vector<double> values{4, 1, 3, 2};
    EXPECT_EQ(quantileOf(values, 0.0), 1.0);
    EXPECT_EQ(quantileOf(values, 1.0), 4.0);
    EXPECT_EQ(medianOf(values), 2.5);
    EXPECT_NEAR(quantileOf(values, 0.1), 1.3, 1e-15);
    EXPECT_TRUE(std::isnan(medianOf({})));
    EXPECT_TRUE(std::isnan(meanOf({})));
}

TEST(Statistics, StandardDeviationOfASample) {
    EXPECT_NEAR(standardDeviationOf({2, 4, 4, 4, 5, 5, 7, 9}), std::sqrt(32.0 / 7.0), 1e-15);
    EXPECT_TRUE(std::isnan(standardDeviationOf({1})));
}

TEST(Statistics, RanksShareTheirMeanInATie) {
    EXPECT_EQ(meanRanks({3, 1, 2, 1}), (std::vector<double>{3, 0.5, 2, 0.5}));
    EXPECT_EQ(meanRanks({5, 5, 5}), (std::vector<double>{1, 1, 1}));
    EXPECT_TRUE(meanRanks({}).empty());
}

TEST(Statistics, RankCorrelationByHand) {
    EXPECT_DOUBLE_EQ(rankCorrelation({1, 10, 100}, {2, 3, 4}), 1.0);
    EXPECT_DOUBLE_EQ(rankCorrelation({1, 10, 100}, {4, 3, 2}), -1.0);
    // Ranks 0 1 2 3 and 1 0 3 2: 1 - 6 * 4 / (4 * 15).
    EXPECT_NEAR(rankCorrelation({1, 2, 3, 4}, {2, 1, 4, 3}), 0.6, 1e-15);
    // A tie: ranks 0.5 0.5 2 and 0 1 2; 1.5 / sqrt(1.5 * 2).
    EXPECT_NEAR(rankCorrelation({1, 1, 2}, {1, 2, 3}), 1.5 / std::sqrt(3.0), 1e-15);
    EXPECT_TRUE(std::isnan(rankCorrelation({1, 1, 1}, {1, 2, 3})));
    EXPECT_TRUE(std::isnan(rankCorrelation({1, NAN, 1}, {1, 2, 3})));
    EXPECT_TRUE(std::isnan(rankCorrelation({1}, {2})));
    EXPECT_TRUE(std::isnan(rankCorrelation({}, {})));
}

TEST(Statistics, AProbabilityIsNeverZero) {
    EXPECT_EQ(permutationP({1, 2, 3}, 4), 0.25);
    EXPECT_EQ(permutationP({1, 2, 3}, 3), 0.5);
    EXPECT_EQ(permutationP({1, 2, 3}, 0), 1.0);
}

// Benjamini-Hochberg by hand: p in order .005 .01 .03 .04, times 4/1 4/2 4/3 4/4, then the running minimum from behind.
TEST(Statistics, FalseDiscoveryRatesOfSortedP) {
    const double nan = std::nan("");
    const std::vector<double> q = benjaminiHochberg({0.01, 0.04, nan, 0.03, 0.005});
    ASSERT_EQ(q.size(), 5U);
    EXPECT_NEAR(q[0], 0.02, 1e-15);
    EXPECT_NEAR(q[1], 0.04, 1e-15);
    EXPECT_TRUE(std::isnan(q[2]));
    EXPECT_NEAR(q[3], 0.04, 1e-15);
    EXPECT_NEAR(q[4], 0.02, 1e-15);
    EXPECT_EQ(benjaminiHochberg({0.9, 1.0}), (std::vector<double>{1.0, 1.0}));
    EXPECT_TRUE(benjaminiHochberg({}).empty());
}

TEST(Statistics, Binomials) {
    EXPECT_EQ(binomial(62, 2), 1891.0);
    EXPECT_EQ(binomial(64, 64), 1.0);
    EXPECT_EQ(binomial(5, 6), 0.0);
    EXPECT_EQ(binomial(52, 5), 2598960.0);
}

TEST(Statistics, FewUnitsHaveNoInterval) {
    const auto mean = [](const std::vector<std::size_t>& units) {
        double sum = 0.0;
        for (const std::size_t unit : units) sum += static_cast<double>(unit);
        return sum / static_cast<double>(units.size());
    };
    EXPECT_FALSE(bootstrapInterval(7, mean, 0));
    const auto interval = bootstrapInterval(20, mean, 0);
    ASSERT_TRUE(interval);
    // Mean 9.5, standard error sqrt(33.25 / 20) = 1.29; 2000 resamples know the ends to about 0.1.
    EXPECT_NEAR(interval->first, 9.5 - 1.96 * 1.29, 0.3);
    EXPECT_NEAR(interval->second, 9.5 + 1.96 * 1.29, 0.3);
    EXPECT_EQ(bootstrapInterval(20, mean, 0), interval);
}

}  // namespace
}  // namespace dimscope::tests
