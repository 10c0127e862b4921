// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/orders/hull_distance.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "analysis/orders/nearest_hull_point.h"
#include "kernels/backend_registry.h"
#include "kernels/error.h"
#include "kernels/kernel_catalog.h"
#include "tests/support/compare.h"
#include "tests/support/memory_source.h"

namespace dimscope::tests {
namespace {

using namespace analysis;

Eigen::MatrixXd columns(const std::vector<std::vector<double>>& points) {
    Eigen::MatrixXd matrix(static_cast<Index>(points.front().size()), static_cast<Index>(points.size()));
    for (std::size_t n = 0; n < points.size(); ++n)
        for (std::size_t r = 0; r < points[n].size(); ++r)
            matrix(static_cast<Index>(r), static_cast<Index>(n)) = points[n][r];
    return matrix;
}

//        2 +
//          | .
//          |   .            the triangle (0, 0), (2, 0), (0, 2)
//        0 +-----+
//          0     2
TEST(NearestHullPoint, OfATriangle) {
    const Eigen::MatrixXd triangle = columns({{0, 0}, {2, 0}, {0, 2}});
    struct Case {
        double x, y, distance;
    };
    for (const Case& c : std::vector<Case>{{0.5, 0.5, 0.0},         // inside
                                           {1, 1, 0.0},             // on an edge
                                           {2, 0, 0.0},             // a corner
                                           {1, -3, 3.0},            // beside an edge
                                           {2, 2, std::sqrt(2.0)},  // beside the slanted edge
                                           {5, -4, 5.0},            // beyond a corner: (3, -4) from it
                                           {-1, -1, std::sqrt(2.0)}}) {
        const HullDistance found = nearestHullPoint(triangle, Eigen::Vector2d(c.x, c.y), {});
        EXPECT_NEAR(found.distance, c.distance, 1e-14) << c.x << " " << c.y;
        EXPECT_NEAR(found.least, c.distance, 1e-14) << c.x << " " << c.y;
    }
}

TEST(NearestHullPoint, OfFewerPointsThanDimensions) {
    // The segment from (0, 0, 0) to (1, 0, 0), and one point alone.
    EXPECT_NEAR(nearestHullPoint(columns({{0, 0, 0}, {1, 0, 0}}), Eigen::Vector3d(0.3, 3, 4), {}).distance, 5.0, 1e-14);
    EXPECT_NEAR(nearestHullPoint(columns({{0, 0, 0}}), Eigen::Vector3d(0, 3, 4), {}).distance, 5.0, 1e-14);
    EXPECT_EQ(nearestHullPoint(columns({{1, 2, 3}}), Eigen::Vector3d(1, 2, 3), {}).distance, 0.0);
    // The same point many times.
    EXPECT_NEAR(nearestHullPoint(columns({{1, 0, 0}, {1, 0, 0}, {1, 0, 0}}), Eigen::Vector3d(0, 0, 0), {}).distance,
                1.0, 1e-14);
}

/// Seeded N(0, 1) points.
Eigen::MatrixXd randomPoints(Index dim, Index count, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    Eigen::MatrixXd points(dim, count);
    for (double& x : points.reshaped()) x = normal(random);
    return points;
}

double reachOf(const Eigen::MatrixXd& points, const Eigen::VectorXd& point) {
    return std::sqrt((points.colwise() - point).colwise().squaredNorm().maxCoeff());
}

TEST(NearestHullPoint, BoundsMeetAndHold) {
    unsigned seed = 0;
    for (const Index dim : {1, 2, 7, 64})
        for (const Index count : {1, 2, 9, 65, 300}) {
            SCOPED_TRACE(testing::Message() << "dim " << dim << " count " << count << " seed " << seed);
            const Eigen::MatrixXd points = randomPoints(dim, count, seed);
            const Eigen::VectorXd weights = randomPoints(count, 1, seed + 1).array().exp();
            const Eigen::VectorXd inside = points * (weights / weights.sum());
            const Eigen::VectorXd outside = 1.5 * randomPoints(dim, 1, seed + 2);
            seed += 3;
            const HullDistance in = nearestHullPoint(points, inside, {}), out = nearestHullPoint(points, outside, {});
            EXPECT_LE(in.distance, kHullTolerance * reachOf(points, inside));
            for (const HullDistance& found : {in, out}) {
                EXPECT_GE(found.gap(), 0.0);
                EXPECT_GE(found.least, 0.0);
            }
            EXPECT_LE(in.gap(), kHullTolerance * reachOf(points, inside));
            EXPECT_LE(out.gap(), kHullTolerance * reachOf(points, outside));
            // No point of the hull that one can name is nearer than the lower bound.
            EXPECT_LE(out.least, (points * (weights / weights.sum()) - outside).norm() * (1.0 + 1e-12));
            EXPECT_LE(out.distance, (points.colwise() - outside).colwise().norm().minCoeff() * (1.0 + 1e-12));
        }
}

TEST(NearestHullPoint, TheOrderOfPointsAndAShiftChangeNothing) {
    const Eigen::MatrixXd points = randomPoints(16, 80, 7);
    const Eigen::VectorXd point = 2.0 * randomPoints(16, 1, 8);
    const double distance = nearestHullPoint(points, point, {}).distance;
    ASSERT_GT(distance, 0.1);
    const Eigen::MatrixXd turned = points.rowwise().reverse();
    // Both searches end within the tolerance of the truth.
    EXPECT_NEAR(nearestHullPoint(turned, point, {}).distance, distance, 2 * kHullTolerance * reachOf(points, point));
    const Eigen::VectorXd shift = Eigen::VectorXd::Constant(16, 3.0);
    EXPECT_NEAR(nearestHullPoint(points.colwise() + shift, point + shift, {}).distance, distance,
                2 * kHullTolerance * reachOf(points, point));
}

TEST(NearestHullPoint, StopsWhenCancelled) {
    const RunControl control;
    control.cancel();
    EXPECT_THROW(nearestHullPoint(randomPoints(4, 9, 1), Eigen::VectorXd::Constant(4, 5.0), control),
                 kernels::Cancelled);
}

HullResult measured(const std::vector<std::string>& kernels, HeadSource& source, const std::string& backend = "cpu",
                    int threads = 2, bool skipUnsupported = false) {
    HullParams params;
    params.kernels = kernels;
    params.rows = 8;
    params.threads = threads;
    const auto made = kernels::makeBackend(backend, {.threads = threads});
    return hullDistances(params, KernelFactory{}, source, *made, {}, skipUnsupported);
}

TEST(HullDistances, WeightsOfOneSignStayInside) {
    MemorySource source({.positions = 40});
    const std::vector<std::string> kernels{"softmax", "performer",   "taylor", "elu",
                                           "uniform", "first_value", "power",  "hedgehog"};
    for (const char* backend : {"cpu", "reference"}) {
        const HullResult result = measured(kernels, source, backend);
        EXPECT_EQ(result.kernels, kernels);
        ASSERT_EQ(result.heads.size(), 8U * kernels.size());
        for (const HeadHull& head : result.heads) {
            SCOPED_TRACE(head.kernel + " " + backend);
            // Rounding of float (cpu) or double sums, and the search's own tolerance; values are near 1.
            EXPECT_LE(head.maxDistance, std::string(backend) == "cpu" ? 2e-5 : 1e-7);
            EXPECT_EQ(head.outsideShare, 0.0);
            EXPECT_LE(head.gap, 1e-7);
            EXPECT_GT(head.rows, 0);
        }
    }
}

TEST(HullDistances, NegativeWeightsLeaveIt) {
    MemorySource source({.positions = 40});
    const HullResult result = measured({"zeros_sm", "zero"}, source);
    for (const HeadHull& head : result.heads) {
        if (head.kernel == "zeros_sm") {
            EXPECT_GT(head.outsideShare, 0.0);
            EXPECT_GE(head.maxDistance, head.distance);
        }
    }
    EXPECT_EQ(hullTable(result).rows(), 16U);
}

TEST(HullDistances, KnownAnswerOfAShrunkenRow) {
    // With two keys the hull is a segment: the distance of `zero` is that of the origin from it.
    MemorySource source({.prompts = 1});
    HullParams params;
    params.selection = {{LayerIndex{3}}, {HeadIndex{0}}, {}, 0};
    params.kernels = {"zero"};
    params.positions = {{0, 1}};
    const auto backend = kernels::makeBackend("reference");
    const HullResult result = hullDistances(params, KernelFactory{}, source, *backend, {});
    const auto v =
        std::get<kernels::Matrix<double>>(source.load(TensorKind::Value, LayerIndex{3}, PromptIndex{0}, 0, {})->values);
    double along = 0.0, square = 0.0;
    for (Index c = 0; c < v.cols(); ++c) {
        along -= v(0, c) * (v(1, c) - v(0, c));
        square += (v(1, c) - v(0, c)) * (v(1, c) - v(0, c));
    }
    const double step = std::clamp(along / square, 0.0, 1.0);
    double distance = 0.0;
    for (Index c = 0; c < v.cols(); ++c) {
        const double at = v(0, c) + step * (v(1, c) - v(0, c));
        distance += at * at;
    }
    ASSERT_EQ(result.heads.size(), 1U);
    EXPECT_EQ(result.heads[0].rows, 1);  // the first position sees one key: no spread
    EXPECT_EQ(result.heads[0].leftOut, 1);
    EXPECT_NEAR(result.heads[0].distance, std::sqrt(distance) / (0.5 * std::sqrt(square)), 1e-9);
    EXPECT_EQ(result.heads[0].outsideShare, 1.0);
}

TEST(HullDistances, ThreadsChangeNothingAndSickHeadsAreMarked) {
    MemorySource source({});
    source.poison(3, 1);
    const HullResult one = measured({"zeros_sm", "rfa"}, source, "cpu", 1),
                     three = measured({"zeros_sm", "rfa"}, source, "cpu", 3);
    ASSERT_EQ(one.heads.size(), three.heads.size());
    for (std::size_t n = 0; n < one.heads.size(); ++n) {
        const bool poisoned = one.heads[n].layer == LayerIndex{3} && one.heads[n].head == HeadIndex{1};
        EXPECT_EQ(one.heads[n].usable, !poisoned);
        EXPECT_EQ(std::isnan(one.heads[n].distance), poisoned);
        if (!poisoned) {
            EXPECT_EQ(one.heads[n].distance, three.heads[n].distance);
        }
    }
    EXPECT_TRUE(std::any_of(one.warnings.begin(), one.warnings.end(),
                            [](const Warning& warning) { return warning.code == "nonfinite"; }));
}

TEST(HullDistances, PaddingIsNoPartOfTheHull) {
    // Only positions 0 and 1 are valid: whatever stands behind them, exact attention is on their segment.
    MemorySource source({.prompts = 1});
    std::vector<std::uint8_t> valid(24, 0);
    valid[0] = valid[1] = 1;
    source.setValidity(0, valid);
    source.editInfo().prompts[0].validPositions = 2;
    const HullResult result = measured({"softmax"}, source, "reference");
    for (const HeadHull& head : result.heads) {
        EXPECT_EQ(head.rows, 1);
        EXPECT_LE(head.distance, 1e-7);
    }
}

TEST(HullDistances, StopsWhenCancelled) {
    MemorySource source({});
    const RunControl control;
    control.cancel();
    HullParams params;
    params.kernels = {"elu"};
    const auto backend = kernels::makeBackend("cpu");
    EXPECT_THROW(hullDistances(params, KernelFactory{}, source, *backend, control), kernels::Cancelled);
}

}  // namespace
}  // namespace dimscope::tests
