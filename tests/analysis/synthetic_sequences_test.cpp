// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/orders/synthetic_sequences.h"

#include <cmath>

#include "analysis/head_loader.h"
#include "analysis/orders/hull_distance.h"
#include "analysis/orders/nearest_hull_point.h"
#include "analysis/orders/order_rows.h"
#include "kernels/backend_registry.h"
#include "kernels/error.h"
#include "tests/support/compare.h"

namespace dimscope::tests {
namespace {

using namespace analysis;

class SyntheticSequences : public ::testing::TestWithParam<std::string> {
protected:
    SyntheticSource source_{GetParam(), 5};
    Index positions() const { return source_.sequence().positions; }
    int prompts() const { return source_.sequence().prompts; }
    kernels::Matrix<double> values(int prompt) {
        return std::get<kernels::Matrix<double>>(
            source_.load(TensorKind::Value, LayerIndex{0}, PromptIndex{prompt}, 0, {})->values);
    }
};

/// Weights of the targets, written out for the sequence's last row (t = N, which is even).
std::vector<double> lastWeights(const std::string& name, Index positions) {
    std::vector<double> weights(static_cast<std::size_t>(positions));
    for (std::size_t j = 0; j < weights.size(); ++j) {
        const bool last = j + 1 == weights.size();
        weights[j] = name == "difference-from-mean"  ? (last ? 1.0 : 0.0) - 1.0 / static_cast<double>(positions)
                     : (weights.size() - j) % 2 == 1 ? 1.0
                                                     : -1.0;
    }
    return weights;
}

TEST_P(SyntheticSequences, TargetsAreWhatTheirNamesSay) {
    for (int p = 0; p < prompts(); ++p) {
        const kernels::Matrix<double> v = values(p), &target = source_.target(PromptIndex{p});
        const std::vector<double> weights = lastWeights(GetParam(), positions());
        for (Index c = 0; c < v.cols(); ++c) {
            double sum = 0.0;
            for (Index j = 0; j < positions(); ++j) sum += weights[static_cast<std::size_t>(j)] * v(j, c);
            EXPECT_NEAR(target(positions() - 1, c), sum, 1e-14);
            EXPECT_EQ(target(0, c), 0.0);
            EXPECT_LE(std::abs(v(0, c)), 2.0);
        }
        for (Index i = 0; i < positions(); ++i) EXPECT_EQ(target(i, v.cols() - 1), 0.0) << "the weights sum to 0";
    }
}

TEST_P(SyntheticSequences, ConvexWeightsCannotReachThem) {
    for (int p = 0; p < prompts(); ++p) {
        const kernels::Matrix<double> v = values(p), &target = source_.target(PromptIndex{p});
        for (Index i = 1; i < positions(); ++i) {
            Eigen::MatrixXd seen(v.cols(), i + 1);
            Eigen::VectorXd goal(v.cols());
            for (Index c = 0; c < v.cols(); ++c) {
                goal[c] = target(i, c);
                for (Index j = 0; j <= i; ++j) seen(c, j) = v(j, c);
            }
            // In the last coordinate every convex combination is 1 and the target 0.
            EXPECT_GE(nearestHullPoint(seen, goal, {}).least, 1.0 - 1e-8) << "prompt " << p << " row " << i;
        }
    }
}

// The target is sum_j (delta_j / t) v_j: sigma1 = 1, sigmah = 0, which gates in [0, 1] allow.
TEST_P(SyntheticSequences, ZeroSumWeightsReachThem) {
    const auto backend = kernels::makeBackend("reference");
    std::vector<Index> rows;
    for (Index i = 0; i < positions(); ++i) rows.push_back(i);
    for (int p = 0; p < prompts(); ++p) {
        HeadLoader loader(source_, source_.info().layers.front(), PromptIndex{p}, positions(), true);
        const kernels::HeadInputs inputs = loader.inputs(HeadIndex{0}, {});
        const std::vector<kernels::KernelSpec> specs{kernels::ZerosSm{1.0, 0.0, 0.0}};
        const std::vector<kernels::RowsJob> jobs{{inputs, rows, specs}};
        // Sums of at most eight products of numbers below 16 in double.
        EXPECT_TRUE(near(backend->attendRows(jobs, {}).front().front().values, source_.target(PromptIndex{p}), 1e-14));

        const PromptTensors tensors(inputs);
        OrderRow row;
        for (const Index i : rows) {
            ASSERT_TRUE(OrderRows(tensors).softmaxRow(i, row));
            EXPECT_NEAR(row.first.sum(), 0.0, 1e-14);
            for (Index c = 0; c < row.y1.size(); ++c)
                EXPECT_NEAR(row.y1[c], source_.target(PromptIndex{p})(i, c), 1e-13);
        }
    }
}

TEST_P(SyntheticSequences, TheHullExperimentSaysSo) {
    KernelSettings settings;
    settings.setText("zeros_sm", "sigmah", "0");
    HullParams params;
    params.kernels = {"softmax", "zeros_sm"};
    params.rows = 0;
    const auto backend = kernels::makeBackend("cpu");
    const HullResult result = hullDistances(params, KernelFactory(settings), source_, *backend, {});
    ASSERT_EQ(result.heads.size(), 2U);
    EXPECT_LE(result.heads[0].maxDistance, 1e-5);  // float sums of values up to 2
    EXPECT_EQ(result.heads[0].outsideShare, 0.0);
    EXPECT_EQ(result.heads[1].outsideShare, 1.0);
    EXPECT_EQ(result.heads[1].rows, prompts() * (positions() - 1));
    EXPECT_GT(result.heads[1].distance, 0.1);
}

TEST_P(SyntheticSequences, ASeedIsASequence) {
    const kernels::Matrix<double> v = values(0);
    const auto of = [&](std::uint64_t seed) {
        SyntheticSource other(GetParam(), seed);
        return std::get<kernels::Matrix<double>>(
                   other.load(TensorKind::Value, LayerIndex{0}, PromptIndex{0}, 0, {})->values)
            .values();
    };
    EXPECT_EQ(of(5), v.values());
    EXPECT_NE(of(6), v.values());
    for (const double x : v.values()) EXPECT_EQ(x * 16.0, std::round(x * 16.0));
}

INSTANTIATE_TEST_SUITE_P(All, SyntheticSequences,
                         ::testing::Values("two-token-difference", "difference-from-mean", "alternating-differences"),
                         [](const auto& tested) {
                             std::string name = tested.param;
                             std::erase(name, '-');
                             return name;
                         });

TEST(SyntheticSequence, AnUnknownNameIsNamed) {
    try {
        SyntheticSource source("three-token-difference", 0);
        FAIL();
    } catch (const kernels::ArgumentError& error) {
        EXPECT_NE(std::string(error.what()).find("three-token-difference"), std::string::npos);
        EXPECT_NE(std::string(error.what()).find("alternating-differences"), std::string::npos);
    }
    EXPECT_EQ(syntheticSequences().size(), 3U);
}

}  // namespace
}  // namespace dimscope::tests
