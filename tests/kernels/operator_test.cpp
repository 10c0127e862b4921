// SPDX-License-Identifier: GPL-3.0-or-later
// The full-sequence operators against the pairwise oracle, for every instruction set of this processor.
#include <cmath>
#include <random>
#include <thread>

#include "kernels/attention_math.h"
#include "kernels/backend_registry.h"
#include "kernels/cpu/operator/lane_kernels.h"
#include "kernels/cpu/operator/quadratic_double.h"
#include "kernels/cpu/operator/sequence.h"
#include "kernels/state/bulk_first.h"
#include "tests/kernels/owned_layer.h"
#include "tests/kernels/tolerances.h"
#include "tests/support/compare.h"
#include "tests/support/head_cases.h"
#include "tests/support/wall_clock.h"

namespace dimscope::tests {
namespace {

using namespace kernels;
using kernels::cpu::LaneKernels;
using kernels::cpu::QuadraticState;
using kernels::cpu::SequenceHeads;
using kernels::cpu::SequenceReport;
using kernels::cpu::WorkerPool;

class OperatorTest : public testing::TestWithParam<const LaneKernels*> {
protected:
    void expectOracle(OwnedLayer& layer, const std::vector<KernelSpec>& specs) {
        const std::vector<Index> rows = someRows(layer.shape().rows);
        for (Index h = 0; h < layer.shape().heads; ++h) {
            const Matrix<double> expected = layer.oracle(specs[static_cast<std::size_t>(h)], h, rows);
            EXPECT_TRUE(near(layer.output(h, rows), expected, kOperatorTolerance)) << "head " << h;
            worst_ = std::max(worst_, relativeError(layer.output(h, rows), expected));
        }
        EXPECT_TRUE(layer.nothingBesideTheOutput());
    }
    void TearDown() override { RecordProperty("largestError", std::to_string(worst_)); }
    WorkerPool pool_{2};
    double worst_ = 0.0;
};

INSTANTIATE_TEST_SUITE_P(All, OperatorTest, testing::ValuesIn(cpu::usableLanes().begin(), cpu::usableLanes().end()),
                         [](const auto& instance) { return std::string(instance.param->name); });

TEST_P(OperatorTest, ExactAttentionAgreesWithTheOracle) {
    for (const Index rows : {1, 2, 63, 64, 65, 200, 513})
        for (const Index dim : {3, 64}) {
            OwnedLayer layer({6, 2, rows, dim, dim == 3 ? 5 : 64}, static_cast<std::uint64_t>(rows + dim), 1.5F);
            SCOPED_TRACE(testing::Message() << "rows " << rows << " dim " << dim);
            const SequenceReport report = cpu::attendExact(layer.heads(), pool_, {}, GetParam());
            for (const auto& bad : report.bad) EXPECT_TRUE(bad.empty());
            expectOracle(layer, std::vector<KernelSpec>(6, Softmax{}));
        }
}

TEST_P(OperatorTest, QuadraticAgreesWithTheOracle) {
    for (const Index rows : {1, 2, 63, 64, 65, 200, 513})
        for (int groups = 1; groups <= 4; ++groups) {
            const LayerShape shape{6, 2, rows, 8, 5};
            OwnedLayer layer(shape, static_cast<std::uint64_t>(rows));
            const std::vector<Oal> specs = seededSpecs(shape, groups, static_cast<std::uint64_t>(rows + groups));
            SCOPED_TRACE(testing::Message() << "rows " << rows << " groups " << groups);
            cpu::attendQuadratic(layer.heads(), specs, nullptr, pool_, {}, GetParam());
            expectOracle(layer, {specs.begin(), specs.end()});
        }
}

TEST_P(OperatorTest, QuadraticStatesAgreeWithTheOracleBeyondTheFirstSlab) {
    for (const Index rows : {1025, 1100, 2111})
        for (int groups = 1; groups <= 4; ++groups) {
            const LayerShape shape{4, 2, rows, 64, 64};
            OwnedLayer layer(shape, static_cast<std::uint64_t>(rows));
            const std::vector<Oal> specs = seededSpecs(shape, groups, static_cast<std::uint64_t>(rows + groups));
            SCOPED_TRACE(testing::Message() << "rows " << rows << " groups " << groups);
            cpu::attendQuadratic(layer.heads(), specs, nullptr, pool_, {}, GetParam());
            expectOracle(layer, {specs.begin(), specs.end()});
        }
}

TEST_P(OperatorTest, EveryDimensionInAGroupOfItsOwnOnOddSizes) {
    const LayerShape shape{2, 1, 1200, 20, 3};
    OwnedLayer layer(shape, 5);
    std::vector<Oal> specs = seededSpecs(shape, 4, 6);
    for (Oal& spec : specs)
        for (std::size_t r = 0; r < spec.label.size(); ++r) spec.label[r] = static_cast<int>(r % 4);
    cpu::attendQuadratic(layer.heads(), specs, nullptr, pool_, {}, GetParam());
    expectOracle(layer, {specs.begin(), specs.end()});
}

TEST_P(OperatorTest, CarriedStateEqualsOneGo) {
    for (const Index rows : {65, 200, 513})
        for (const int groups : {1, 3}) {
            const LayerShape shape{6, 2, rows, 64, 7};
            OwnedLayer layer(shape, static_cast<std::uint64_t>(rows));
            const std::vector<Oal> specs = seededSpecs(shape, groups, 3);
            QuadraticState state;
            for (Index first = 0, step = 1; first < rows; first += step, step = step * 3 + 1)
                cpu::attendQuadratic(layer.heads(first, std::min(step, rows - first)), specs, &state, pool_, {},
                                     GetParam());
            EXPECT_EQ(state.positions, rows);
            SCOPED_TRACE(testing::Message() << "rows " << rows << " groups " << groups);
            expectOracle(layer, {specs.begin(), specs.end()});
        }
}

TEST_P(OperatorTest, LargeCommonPartOfTheKeysIsAbsorbed) {
    const LayerShape shape{2, 1, 1500, 64, 16};
    OwnedLayer layer(shape, 8, 1.0F, 6.0F);  // |q.k| / 8 of about 6 from the mean alone
    const std::vector<Oal> specs = seededSpecs(shape, 3, 8);
    cpu::attendQuadratic(layer.heads(), specs, nullptr, pool_, {}, GetParam());
    expectOracle(layer, {specs.begin(), specs.end()});
}

TEST_P(OperatorTest, RowsWithoutADenominatorAreBad) {
    const LayerShape shape{2, 1, 40, 8, 3};
    OwnedLayer layer(shape, 2);
    std::vector<Oal> specs = seededSpecs(shape, 2, 2);
    specs[1].epsilon = 0.0;
    specs[1].factor.assign(specs[1].factor.size(), 0.0);
    const SequenceReport report = cpu::attendQuadratic(layer.heads(), specs, nullptr, pool_, {}, GetParam());
    EXPECT_TRUE(report.bad[0].empty());
    EXPECT_EQ(report.bad[1], allRows(40));
    EXPECT_TRUE(std::isnan(layer.output(1, {7})(0, 0)));
}

TEST_P(OperatorTest, WhatIsNotFiniteIsReportedFromItsPositionOn) {
    const LayerShape shape{2, 1, 300, 8, 3};
    for (const float poison : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
        OwnedLayer layer(shape, 2);
        layer.keys()(128, 2) = poison;
        const std::vector<Oal> specs = seededSpecs(shape, 1, 2);
        for (const SequenceReport& report :
             {cpu::attendExact(layer.heads(), pool_, {}, GetParam()),
              cpu::attendQuadratic(layer.heads(), specs, nullptr, pool_, {}, GetParam())}) {
            // An infinite key gives a logit of -inf to half of the queries: exact attention leaves it out there.
            EXPECT_FALSE(report.bad[0].empty());
            EXPECT_GE(report.bad[0].front(), 128);
            if (std::isnan(poison)) {
                EXPECT_EQ(report.bad[0].size(), 172U);
            }
        }
    }
}

TEST_P(OperatorTest, StopsSoonWhenCancelled) {
    const LayerShape shape{9, 3, 16384, 64, 64};
    OwnedLayer layer(shape, 1);
    const std::vector<Oal> specs = seededSpecs(shape, 3, 1);
    const auto stopTimeMs = [&](auto&& call) {
        const RunControl control;
        std::chrono::steady_clock::time_point asked;
        std::thread canceller([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            asked = std::chrono::steady_clock::now();
            control.cancel();
        });
        EXPECT_THROW(call(control), Cancelled);
        const auto stopped = std::chrono::steady_clock::now();
        canceller.join();
        return std::chrono::duration<double, std::milli>(stopped - asked).count();
    };
    QuadraticState state;
    EXPECT_LT(stopTimeMs([&](const RunControl& c) { cpu::attendExact(layer.heads(), pool_, c, GetParam()); }),
              200.0 * kSlowdown);
    EXPECT_LT(stopTimeMs([&](const RunControl& c) {
                  cpu::attendQuadratic(layer.heads(), specs, &state, pool_, c, GetParam());
              }),
              200.0 * kSlowdown);
    EXPECT_EQ(state.positions, 0);
}

TEST(Operator, RefusesShapesThatDoNotFit) {
    WorkerPool pool(1);
    const LayerShape shape{4, 2, 10, 8, 3};
    OwnedLayer layer(shape, 1);
    SequenceHeads heads = layer.heads();
    EXPECT_THROW(cpu::attendQuadratic(heads, seededSpecs({3}, 2, 1), nullptr, pool, {}), ShapeError);
    heads.query.pop_back();
    EXPECT_THROW(cpu::attendExact(heads, pool, {}), ShapeError);
    QuadraticState state;
    const std::vector<Oal> specs = seededSpecs(shape, 2, 1);
    cpu::attendQuadratic(layer.heads(), specs, &state, pool, {});
    OwnedLayer other({4, 2, 10, 8, 4}, 1);
    EXPECT_THROW(cpu::attendQuadratic(other.heads(), specs, &state, pool, {}), ShapeError);
}

TEST(Operator, BulkFirstIsTheSameForm) {
    std::mt19937_64 generator(4);
    std::normal_distribution<double> normal;
    for (int groups = 1; groups <= 5; ++groups) {
        Oal spec = seededSpecs({1, 1, 1, 8, 1}, groups, 7).front();
        if (groups == 4) std::fill(spec.factor.begin() + 6, spec.factor.end(), 0.0);  // rank below G + 1
        const state::BulkFirst form = state::bulkFirst(spec);
        std::vector<double> s(static_cast<std::size_t>(groups) + 1, 1.0);
        for (std::size_t g = 1; g < s.size(); ++g) s[g] = normal(generator);
        double expected = spec.epsilon, got = form.floor;
        for (int col = 0; col <= groups; ++col) {
            double sum = 0.0;
            for (int row = col; row <= groups; ++row)
                sum += spec.factor[static_cast<std::size_t>(packedIndex(row, col))] * s[static_cast<std::size_t>(row)];
            expected += sum * sum;
        }
        for (int col = 0; col < groups; ++col) {
            double sum = form.offset[static_cast<std::size_t>(col)];
            for (int g = 0; g < groups; ++g) sum += form.weight(g, col) * s[static_cast<std::size_t>(g) + 1];
            got += sum * sum;
            for (int g = 0; g < col; ++g) EXPECT_EQ(form.weight(g, col), 0.0);
        }
        EXPECT_NEAR(got, expected, 1e-13 * expected) << groups;
    }
}

TEST(Operator, DoubleStatePathAgreesWithTheOracle) {
    for (const Index rows : {1, 2, 65, 200})
        for (int groups = 1; groups <= 4; ++groups) {
            const OwnedHead head = randomHead(rows, 8, 5, static_cast<std::uint64_t>(rows + groups));
            const Oal spec = seededSpecs({1, 1, rows, 8, 5}, groups, 9).front();
            cpu::QuadraticMoments moments(8, 5);
            const cpu::DoubleSequence out = cpu::attendQuadraticDouble(head.query.view(), head.key.view(),
                                                                       head.value.view(), head.scale, spec, moments);
            const std::vector<KernelSpec> specs{spec};
            const std::vector<Index> all = allRows(rows);
            const std::vector<RowsJob> jobs{{head.inputs(), all, specs}};
            const auto expected = makeBackend("reference")->attendRows(jobs, {}).front().front();
            EXPECT_TRUE(out.bad.empty());
            EXPECT_TRUE(near(out.values, expected.values, 1e-12)) << rows << " rows, " << groups << " groups";
        }
}

// Section 5.6 of resources/docs/kernels.md: final states of the three-dimensional head.
TEST(Operator, DoubleMomentsOfTheHandHead) {
    using Values = std::vector<double>;
    const OwnedHead head = handHead3();
    const Oal spec{{0, 1, 0}, 2, {1.2, .5, .4, .3, -.2, .6}, 1e-6};
    cpu::QuadraticMoments moments(3, 2);
    const cpu::DoubleSequence out =
        cpu::attendQuadraticDouble(head.query.view(), head.key.view(), head.value.view(), head.scale, spec, moments);
    EXPECT_TRUE(near(Values{out.values(2, 0), out.values(2, 1)}, Values{0.0857025914789, 0.710683045065}, 5e-12));
    EXPECT_TRUE(near(moments.zeroth().values(), Values{0, 1.75, 3}, 1e-14));
    EXPECT_TRUE(near(moments.first().values(), Values{-.7, -.275, .5, .9, 1.175, 1, -.4, .375, .3}, 1e-14));
    EXPECT_TRUE(near(moments.second().values(),
                     Values{-.77, .5825, 1.21, .53, -.7325, -1.03, -.09, 1.3525, 1.62, -.15, -.3075, -.27, -.07, .4775,
                            .38, .08, .2975, .35},
                     1e-14));
}

}  // namespace
}  // namespace dimscope::tests
