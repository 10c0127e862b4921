// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/random_features.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "kernels/random_stream.h"

namespace dimscope::tests {
namespace {

using namespace kernels;

double rowDot(const Matrix<double>& m, Index a, Index b) {
    return std::inner_product(m.row(a), m.row(a) + m.cols(), m.row(b), 0.0);
}

TEST(RandomStream, SameKeySameNumbersOtherKeyOthers) {
    RandomStream a(5, RandomPurpose::DiJiang, 1, 2), b(5, RandomPurpose::DiJiang, 1, 2),
        c(5, RandomPurpose::DiJiang, 2, 1);
    const std::uint64_t first = a.next64();
    EXPECT_EQ(first, b.next64());
    EXPECT_NE(first, c.next64());
    EXPECT_NE(RandomStream(5, RandomPurpose::QueryRows, 1, 2).next64(), first);
    EXPECT_NE(RandomStream(6, RandomPurpose::DiJiang, 1, 2).next64(), first);
}

TEST(RandomStream, NormalDrawsHaveTheirMoments) {
    RandomStream random(1, RandomPurpose::Bootstrap);
    constexpr int kDraws = 200000;
    double sum = 0.0, squares = 0.0, fourth = 0.0;
    for (int n = 0; n < kDraws; ++n) {
        const double x = random.normal();
        sum += x;
        squares += x * x;
        fourth += x * x * x * x;
    }
    // Four standard errors: 1, sqrt(2) and sqrt(96) over sqrt(200000).
    EXPECT_NEAR(sum / kDraws, 0.0, 0.009);
    EXPECT_NEAR(squares / kDraws, 1.0, 0.013);
    EXPECT_NEAR(fourth / kDraws, 3.0, 0.09);
}

TEST(RandomStream, BelowStaysBelowAndReachesAll) {
    RandomStream random(2, RandomPurpose::Bootstrap);
    std::set<std::uint64_t> seen;
    for (int n = 0; n < 1000; ++n) seen.insert(random.below(7));
    EXPECT_EQ(seen.size(), 7U);
    EXPECT_EQ(*seen.rbegin(), 6U);
}

TEST(Performer, BlocksAreOrthogonalWithChiNorms) {
    const Matrix<double> w = performerProjection(20, 8, 3, 1, 0);  // blocks of 8, 8 and 4 rows
    EXPECT_EQ(w.rows(), 20);
    for (Index a = 0; a < 20; ++a)
        for (Index b = 0; b < a; ++b)
            if (a / 8 == b / 8) {
                EXPECT_NEAR(rowDot(w, a, b), 0.0, 1e-12) << a << " " << b;
            }
    double squares = 0.0;
    const Matrix<double> many = performerProjection(4000, 8, 3, 1, 0);
    for (Index a = 0; a < 4000; ++a) squares += rowDot(many, a, a) / 4000.0;
    EXPECT_NEAR(squares, 8.0, 4.0 * std::sqrt(16.0 / 4000.0));  // chi^2 with 8 degrees: variance 16
}

TEST(Performer, EstimatesTheExponentialWithoutBias) {
    const std::vector<double> q{.5, -1, .3, .2}, k{.2, .4, -.6, .1};
    constexpr int kFeatures = 40000;
    const Matrix<double> w = performerProjection(kFeatures, 4, 9, 0, 0);
    const double half = 0.5 * (std::inner_product(q.begin(), q.end(), q.begin(), 0.0) +
                               std::inner_product(k.begin(), k.end(), k.begin(), 0.0));
    double mean = 0.0;
    for (Index f = 0; f < kFeatures; ++f) {
        double projection = 0.0;
        for (Index r = 0; r < 4; ++r)
            projection += w(f, r) * (q[static_cast<std::size_t>(r)] + k[static_cast<std::size_t>(r)]);
        mean += std::exp(projection - half) / kFeatures;
    }
    const double exact = std::exp(std::inner_product(q.begin(), q.end(), k.begin(), 0.0));
    EXPECT_NEAR(mean, exact, 0.02 * exact);  // four standard errors at this norm
}

TEST(SpectraFormer, DrawHasSignsNormsAndAPermutation) {
    const FastFoodDraw draw = fastFoodDraw(16, 4, 2);
    EXPECT_TRUE(std::all_of(draw.b.begin(), draw.b.end(), [](double b) { return std::abs(b) == 1.0; }));
    EXPECT_TRUE(std::all_of(draw.s.begin(), draw.s.end(), [](double s) { return s > 0.0; }));
    std::vector<int> sorted = draw.permutation;
    std::sort(sorted.begin(), sorted.end());
    for (int n = 0; n < 16; ++n) EXPECT_EQ(sorted[static_cast<std::size_t>(n)], n);
    EXPECT_NE(draw.permutation, fastFoodDraw(16, 5, 2).permutation);
}

}  // namespace
}  // namespace dimscope::tests
