// SPDX-License-Identifier: GPL-3.0-or-later
// The linear-time state path against the pairwise oracle, on every usable backend.
#include "kernels/sequence.h"

#include <cmath>
#include <limits>

#include "tests/kernels/backend_fixture.h"
#include "tests/support/compare.h"

namespace dimscope::tests {
namespace {

using namespace kernels;

/// Rows [from, from + count) of a head.
OwnedHead stretchOf(const OwnedHead& head, Index from, Index count) {
    OwnedHead part = head;
    const auto rows = [&](const Matrix<double>& m) {
        return Matrix<double>(count, m.cols(), {m.row(from), m.row(from) + count * m.cols()});
    };
    part.query = rows(head.query);
    part.key = rows(head.key);
    part.value = rows(head.value);
    if (!head.valid.empty()) part.valid.assign(head.valid.begin() + from, head.valid.begin() + from + count);
    return part;
}

/// Kernels whose linear-time form exists for a head.
std::vector<KernelSpec> linearKernels(const OwnedHead& head, const Evaluation& how, std::uint64_t seed) {
    std::vector<KernelSpec> linear;
    for (const KernelSpec& spec : allKernels(head.query.cols(), seed))
        if (linearTime(spec, how, head.inputs()).supported) linear.push_back(spec);
    return linear;
}

bool hasHugeWeights(const KernelSpec& spec) {
    const auto* diJiang = std::get_if<DiJiang>(&spec);
    return diJiang != nullptr && diJiang->theta && std::abs(diJiang->theta->front()) > 1e6;
}

class SequenceTest : public testing::TestWithParam<std::string> {
protected:
    SequenceOutput run(const KernelSpec& spec, const OwnedHead& head, const Evaluation& how = {}, Index chunk = 64,
                       SequenceState* state = nullptr) {
        const std::vector<SequenceJob> jobs{{head.inputs(), spec, how, state, chunk, true}};
        return backend_->attendSequences(jobs, {}).front();
    }
    static RowsOutput oracle(const KernelSpec& spec, const OwnedHead& head, const Evaluation& how = {}) {
        const std::vector<KernelSpec> specs{spec};
        const std::vector<Evaluation> hows{how};
        const std::vector<Index> rows = allRows(head.query.rows());
        const std::vector<RowsJob> jobs{{head.inputs(), rows, specs, false, hows}};
        return makeBackend("reference")->attendRows(jobs, {}).front().front();
    }
    /// Both paths round, this one by the row's condition more. A weight of 6e7 leaves the oracle's logarithms 1e-8.
    void expectSame(const SequenceOutput& got, const RowsOutput& expected, const KernelSpec& spec) {
        ASSERT_EQ(got.bad, expected.bad);
        double squares = 0.0, count = 0.0;
        for (const double v : expected.values.values())
            if (!std::isnan(v)) {
                squares += v * v;
                count += 1.0;
            }
        const double rms = count > 0.0 && squares > 0.0 ? std::sqrt(squares / count) : 1.0;
        const double unit = hasHugeWeights(spec) ? 1e-6 : outputTolerance(GetParam());
        for (Index r = 0; r < got.values.rows(); ++r) {
            const double condition = got.condition[static_cast<std::size_t>(r)];
            ASSERT_GE(condition, 1.0);
            for (Index c = 0; c < got.values.cols(); ++c) {
                if (expected.bad[static_cast<std::size_t>(r)] != 0) continue;
                ASSERT_LE(std::abs(got.values(r, c) - expected.values(r, c)) / rms, unit * condition)
                    << "row " << r << " condition " << condition;
            }
        }
    }
    std::unique_ptr<Backend> backend_ = makeBackend(GetParam());
};

INSTANTIATE_TEST_SUITE_P(All, SequenceTest, testing::ValuesIn(sequenceBackends()),
                         [](const auto& instance) { return instance.param; });

TEST_P(SequenceTest, EqualsThePairwisePathAtAnyLengthAndChunk) {
    for (const Index rows : {1, 2, 33, 130})
        for (const Index dim : {1, 3, 8}) {
            const OwnedHead head = randomHead(rows, dim, 5, static_cast<std::uint64_t>(10 * rows + dim));
            for (const KernelSpec& spec : linearKernels(head, {}, 5)) {
                const RowsOutput expected = oracle(spec, head);
                for (const Index chunk : {1, 7, 64, 1000}) {
                    SCOPED_TRACE(testing::Message()
                                 << kernelName(spec) << " rows " << rows << " dim " << dim << " chunk " << chunk);
                    expectSame(run(spec, head, {}, chunk), expected, spec);
                }
            }
        }
}

TEST_P(SequenceTest, HonoursPaddingAndHeadsThatAreNotCausal) {
    for (const bool causal : {true, false}) {
        OwnedHead head = randomHead(70, 8, 3, 18);
        head.causal = causal;
        head.valid.assign(70, 1);
        for (const std::size_t padded : {0U, 1U, 20U, 69U}) head.valid[padded] = 0;
        for (Index c = 0; c < 3; ++c) head.value(20, c) = std::nan("");
        for (const KernelSpec& spec : linearKernels(head, {}, 18)) {
            SCOPED_TRACE(testing::Message() << kernelName(spec) << " causal " << causal);
            expectSame(run(spec, head, {}, 16), oracle(spec, head), spec);
        }
    }
}

TEST_P(SequenceTest, AnExactPartAndCentredKeysAreThoseOfThePairwisePath) {
    OwnedHead head = randomHead(150, 8, 3, 19);
    head.valid.assign(150, 1);
    for (const std::size_t padded : {0U, 3U, 90U}) head.valid[padded] = 0;
    auto mean = std::make_shared<std::vector<double>>(std::vector<double>{.5, -1, 0, 0, 2, .1, 0, 1});
    for (const Evaluation& how :
         {Evaluation{{2, 0, 0.5}, {}, {}}, Evaluation{{0, 5, 2.0}, {}, {}}, Evaluation{{3, 80, 0.7}, mean, {}},
          Evaluation{{1, 4, 0.0}, {}, {}}, Evaluation{{1, 4, std::numeric_limits<double>::infinity()}, {}, {}},
          Evaluation{{200, 0, 1.0}, {}, {}}, Evaluation{{}, mean, {}}})
        for (const KernelSpec& spec : linearKernels(head, how, 19)) {
            SCOPED_TRACE(testing::Message() << kernelName(spec) << " first " << how.exact.first << " window "
                                            << how.exact.window << " gate " << how.exact.gate);
            const RowsOutput expected = oracle(spec, head, how);
            for (const Index chunk : {1, 13, 64}) expectSame(run(spec, head, how, chunk), expected, spec);
        }
}

TEST_P(SequenceTest, StretchesGiveWhatTheWholeSequenceGives) {
    const OwnedHead head = randomHead(160, 8, 3, 20);
    for (const Evaluation& how : {Evaluation{}, Evaluation{{5, 9, 0.5}, {}, {}}})
        for (const KernelSpec& spec : linearKernels(head, how, 20)) {
            SCOPED_TRACE(testing::Message() << kernelName(spec) << " first " << how.exact.first);
            SequenceState state;
            SequenceOutput all{Matrix<double>(160, 3), {}, 0, {}};
            Index from = 0;
            bool continues = true;
            for (const Index count : {2, 1, 70, 0, 87}) {
                SequenceOutput part;
                try {
                    part = run(spec, stretchOf(head, from, count), how, 16, &state);
                } catch (const ShapeError&) {
                    continues = false;  // one constant of the whole sequence
                    EXPECT_GT(from, 0);
                    break;
                }
                std::copy(part.values.values().begin(), part.values.values().end(), all.values.row(from));
                all.bad.insert(all.bad.end(), part.bad.begin(), part.bad.end());
                all.condition.insert(all.condition.end(), part.condition.begin(), part.condition.end());
                from += count;
                EXPECT_EQ(state.positions(), from);
            }
            if (continues) expectSame(all, oracle(spec, head, how), spec);
        }
}

// Keys whose exponents differ by more than float and double can hold: one maximum for all would lose the early rows.
TEST_P(SequenceTest, ExponentialFeaturesOfAnySizeDoNotUnderflow) {
    OwnedHead head = randomHead(40, 4, 2, 21);
    for (Index j = 0; j < 40; ++j)
        for (Index r = 0; r < 4; ++r) head.key(j, r) *= j < 20 ? 40.0 : 0.1;
    for (const KernelSpec& spec : linearKernels(head, {}, 21)) {
        const auto* performer = std::get_if<Performer>(&spec);
        if (performer == nullptr || performer->epsilon > 0.0) continue;
        const SequenceOutput out = run(spec, head);
        // exp passes on the float error of exponents in the hundreds: 1000 * 6e-8.
        EXPECT_TRUE(near(out.values, oracle(spec, head).values, GetParam() == "reference" ? 1e-10 : 2e-3));
        EXPECT_EQ(out.bad, std::vector<std::uint8_t>(40, 0));
    }
}

// The final states of kernels.md, section 5: columns v1, v2 and the count.
TEST_P(SequenceTest, FinalStatesOfTheHandWorkedHead) {
    const Oal spec{{0, 1, 0}, 2, {1.2, .5, .4, .3, -.2, .6}, 1e-6};
    SequenceState state;
    const SequenceOutput out = run(spec, handHead3(), {}, 2, &state);
    EXPECT_TRUE(near(std::span(out.values.values()).subspan(2),
                     std::vector<double>{0.607863415456, 0.696068292272, 0.0857025914789, 0.710683045065},
                     std::max(1e-11, outputTolerance(GetParam()))));
    const std::vector<double> expected{0,    1.75, 3,      -.7,   -.275, .5,    .9,     1.175, 1,     -.4,
                                       .375, .3,   -.77,   .5825, 1.21,  .53,   -.7325, -1.03, -.09,  1.3525,
                                       1.62, -.15, -.3075, -.27,  -.07,  .4775, .38,    .08,   .2975, .35};
    EXPECT_TRUE(near(state.sums().values(), expected, outputTolerance(GetParam())));
    EXPECT_GT(state.bytes(), 0U);
}

// Query heads of one group read the same key head: each is a job, and the state holds no coefficient.
TEST_P(SequenceTest, HeadsOfAGroupShareKeysAndStates) {
    const OwnedHead first = randomHead(50, 8, 3, 22);
    OwnedHead second = first;
    second.query = randomHead(50, 8, 3, 23).query;
    const KernelSpec taylor{Taylor{}}, other{Oal{{0, 1, 0, 1, 0, 1, 0, 1}, 2, {1.2, .5, .4, .3, -.2, .6}, 1e-6}};
    SequenceState a, b;
    const std::vector<SequenceJob> jobs{{first.inputs(), taylor, {}, &a, 64, true},
                                        {second.inputs(), other, {}, &b, 64, true}};
    const std::vector<SequenceOutput> outputs = backend_->attendSequences(jobs, {});
    expectSame(outputs[0], oracle(taylor, first), taylor);
    expectSame(outputs[1], oracle(other, second), other);
    EXPECT_EQ(a.sums().values(), b.sums().values());
}

TEST_P(SequenceTest, ARowWithoutDenominatorIsBad) {
    const OwnedHead head = randomHead(4, 2, 2, 9);
    const SequenceOutput out = run(GlobalQuadratic{{0.0, 0.0, 0.0}, 0.0}, head);
    EXPECT_EQ(out.bad, (std::vector<std::uint8_t>{1, 1, 1, 1}));
    EXPECT_TRUE(std::isnan(out.values(0, 0)));
}

TEST_P(SequenceTest, RefusesWhatHasNoLinearTimeForm) {
    OwnedHead head = randomHead(10, 4, 2, 24);
    for (const KernelSpec& spec : {KernelSpec(Softmax{}), KernelSpec(ZerosSm{}), KernelSpec(Power{4})})
        EXPECT_THROW(run(spec, head), ShapeError) << kernelName(spec);
    const Evaluation subset{
        {}, {}, std::make_shared<const std::vector<std::uint8_t>>(std::vector<std::uint8_t>{1, 0, 0, 0})};
    EXPECT_THROW(run(Taylor{}, head, subset), ShapeError);
    head.window = 3;
    EXPECT_THROW(run(Taylor{}, head), ShapeError);
    head.window = 0;
    SequenceState state;
    run(Taylor{}, head, {}, 64, &state);
    EXPECT_THROW(run(Elu{}, head, {}, 64, &state), ShapeError) << "a state of another kernel";
    EXPECT_THROW(run(Taylor{}, randomHead(3, 5, 2, 1), {}, 64, &state), ShapeError) << "of another shape";
    EXPECT_EQ(state.positions(), 10);
    head.causal = false;
    EXPECT_THROW(run(RetNet{}, head), ShapeError);
}

TEST_P(SequenceTest, CancelledWorkThrowsAndLeavesTheState) {
    const OwnedHead head = randomHead(64, 8, 4, 1);
    SequenceState state;
    const std::vector<SequenceJob> jobs{{head.inputs(), Taylor{}, {}, &state}};
    RunControl control;
    control.cancel();
    EXPECT_THROW(backend_->attendSequences(jobs, control), Cancelled);
    EXPECT_EQ(state.positions(), 0);
}

}  // namespace
}  // namespace dimscope::tests
