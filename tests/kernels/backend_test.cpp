// SPDX-License-Identifier: GPL-3.0-or-later
// One body per property, run for every backend that this machine can use.
#include <cmath>

#include "tests/kernels/backend_fixture.h"
#include "tests/support/compare.h"

namespace dimscope::tests {
namespace {

using namespace kernels;

class BackendTest : public BackendFixture {
protected:
    RowsOutput oracle(const KernelSpec& spec, const OwnedHead& head, const std::vector<Index>& rows) {
        return runOn(*oracle_, spec, head, rows);
    }

private:
    std::unique_ptr<Backend> oracle_ = makeBackend("reference");
};

INSTANTIATE_TEST_SUITE_P(All, BackendTest, testing::ValuesIn(usableBackends()),
                         [](const auto& instance) { return instance.param; });

TEST_P(BackendTest, AgreesWithTheOracleAtManySizes) {
    for (const Index rows : {1, 2, 31, 32, 33, 65, 130})
        for (const Index dim : {1, 3, 8, 64})
            for (const double spread : {0.3, 3.0}) {
                const std::uint64_t seed = static_cast<std::uint64_t>(rows * 100 + dim);
                const OwnedHead head = randomHead(rows, dim, 5, seed, spread);
                for (const KernelSpec& spec : allKernels(dim, seed)) {
                    SCOPED_TRACE(testing::Message() << kernelName(spec) << " rows " << rows << " dim " << dim
                                                    << " seed " << seed << " spread " << spread);
                    const auto query = allRows(rows);
                    EXPECT_TRUE(near(run(spec, head, query).values, oracle(spec, head, query).values, tolerance()));
                }
            }
}

TEST_P(BackendTest, HonoursMasksSoftcapAndSink) {
    for (const bool causal : {true, false})
        for (const Index window : {0, 1, 5})
            for (const bool holes : {false, true}) {
                OwnedHead head = randomHead(40, 8, 4, 17, 1.5);
                head.causal = causal;
                head.window = causal ? window : 0;
                head.softcap = 3.0;
                head.sink = 0.7;
                if (holes) {
                    head.valid.assign(40, 1);
                    for (const std::size_t padded : {0U, 1U, 2U, 20U}) head.valid[padded] = 0;
                }
                const std::vector<Index> rows{3, 7, 19, 21, 39};
                for (const KernelSpec& spec : allKernels(8, 5)) {
                    SCOPED_TRACE(testing::Message() << kernelName(spec) << " causal " << causal << " window " << window
                                                    << " holes " << holes);
                    EXPECT_TRUE(near(run(spec, head, rows).values, oracle(spec, head, rows).values, tolerance()));
                }
            }
}

TEST_P(BackendTest, LargeLogitsStayFinite) {
    OwnedHead head = randomHead(64, 64, 4, 6);
    for (double& k : head.key.values()) k *= 40.0;  // |k| near 320, logits in the hundreds
    for (const KernelSpec& spec : {KernelSpec(Softmax{}), KernelSpec(Taylor{}), allKernels(64, 6)[7]}) {
        const RowsOutput out = run(spec, head, {63});
        EXPECT_EQ(out.bad.front(), 0) << kernelName(spec);
        // exp passes on the float error of a logit of 300: 300 * 6e-8 * sqrt(64).
        EXPECT_TRUE(near(out.values, oracle(spec, head, {63}).values, GetParam() == "reference" ? 1e-12 : 2e-3))
            << kernelName(spec);
    }
}

TEST_P(BackendTest, ARowWithoutDenominatorIsBadAndNotANumber) {
    OwnedHead head = randomHead(4, 2, 2, 9);
    const GlobalQuadratic zero{{0.0, 0.0, 0.0}, 0.0};
    const RowsOutput out = run(zero, head, {1, 3});
    EXPECT_EQ(out.bad, (std::vector<std::uint8_t>{1, 1}));
    EXPECT_TRUE(std::isnan(out.values(0, 0)));
    head.valid = {0, 0, 0, 0};
    for (const KernelSpec& spec : allKernels(2, 9)) EXPECT_EQ(run(spec, head, {2}).bad.front(), 1) << kernelName(spec);
}

TEST_P(BackendTest, PaddingNeverLeaks) {
    OwnedHead head = randomHead(10, 4, 3, 21);
    head.valid.assign(10, 1);
    head.valid[4] = 0;
    const Matrix<double> before = run(Softmax{}, head, {9}).values;
    for (Index c = 0; c < 3; ++c) head.value(4, c) = std::nan("");
    EXPECT_TRUE(near(run(Softmax{}, head, {9}).values, before, tolerance()));
}

TEST_P(BackendTest, BlocksOfRowsGiveWhatSingleRowsGive) {
    const OwnedHead head = randomHead(150, 8, 4, 30);
    for (const KernelSpec& spec : allKernels(8, 30)) {
        const RowsOutput whole = run(spec, head, allRows(150));
        for (const Index row : {0, 127, 128, 149}) {
            const RowsOutput one = run(spec, head, {row});
            Matrix<double> expected(1, 4);
            std::copy_n(whole.values.row(row), 4, expected.row(0));
            EXPECT_TRUE(near(one.values, expected, tolerance())) << kernelName(spec) << " row " << row;
        }
    }
}

TEST_P(BackendTest, CancelledWorkThrows) {
    const OwnedHead head = randomHead(64, 8, 4, 1);
    const std::vector<Index> rows = allRows(64);
    const std::vector<KernelSpec> specs = allKernels(8, 1);
    const std::vector<RowsJob> jobs{{head.inputs(), rows, specs}};
    RunControl control;
    control.cancel();
    EXPECT_THROW(backend_->attendRows(jobs, control), Cancelled);
    const std::vector<ProfileJob> profiles{{head.inputs()}};
    EXPECT_THROW(backend_->profile(profiles, control), Cancelled);
}

TEST_P(BackendTest, RefusesShapesThatDisagree) {
    OwnedHead head = randomHead(5, 4, 3, 2);
    head.key = Matrix<double>(5, 3);
    EXPECT_THROW(run(Softmax{}, head, {1}), ShapeError);
    head = randomHead(5, 4, 3, 2);
    EXPECT_THROW(run(Softmax{}, head, {5}), ShapeError);
    EXPECT_THROW(run(Oal{{0, 0, 0}, 1, {1, 0, 0}, 0}, head, {1}), ShapeError);
}

}  // namespace
}  // namespace dimscope::tests
