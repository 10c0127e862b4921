// SPDX-License-Identifier: GPL-3.0-or-later
// Kernels with an exact part, with centred keys and restricted to a subset of dimensions, on every usable backend.
#include <cmath>
#include <limits>

#include "kernels/checks.h"
#include "kernels/kernel_catalog.h"
#include "tests/kernels/backend_fixture.h"
#include "tests/support/compare.h"

namespace dimscope::tests {
namespace {

using namespace kernels;

RowsOutput evaluated(Backend& backend, const KernelSpec& spec, const Evaluation& how, const OwnedHead& head,
                     const std::vector<Index>& rows, bool weights = false) {
    const std::vector<KernelSpec> specs{spec};
    const std::vector<Evaluation> hows{how};
    const std::vector<RowsJob> jobs{{head.inputs(), rows, specs, weights, hows}};
    return backend.attendRows(jobs, {}).front().front();
}

class EvaluationTest : public testing::TestWithParam<std::string> {
protected:
    RowsOutput run(const KernelSpec& spec, const Evaluation& how, const OwnedHead& head, const std::vector<Index>& rows,
                   bool weights = false) {
        return evaluated(*backend_, spec, how, head, rows, weights);
    }
    RowsOutput oracle(const KernelSpec& spec, const Evaluation& how, const OwnedHead& head,
                      const std::vector<Index>& rows) {
        return evaluated(*makeBackend("reference"), spec, how, head, rows);
    }
    double tolerance() const { return outputTolerance(GetParam()); }
    std::unique_ptr<Backend> backend_ = makeBackend(GetParam());
};

INSTANTIATE_TEST_SUITE_P(All, EvaluationTest, testing::ValuesIn(usableBackends()),
                         [](const auto& instance) { return instance.param; });

std::shared_ptr<const std::vector<std::uint8_t>> dimensions(std::vector<std::uint8_t> kept) {
    return std::make_shared<const std::vector<std::uint8_t>>(std::move(kept));
}

double logitOf(const OwnedHead& head, Index i, Index j) {
    double sum = 0.0;
    for (Index r = 0; r < head.query.cols(); ++r) sum += head.query(i, r) * head.key(j, r);
    return head.scale * sum;
}

/// Section 13.6 written out for taylor: keys 0 .. first - 1 and i - window + 1 .. i exact, gate g for the rest.
double taylorWithExactPart(const OwnedHead& head, Index i, Index c, Index first, Index window, double gate) {
    double largest = -std::numeric_limits<double>::infinity();
    const auto exact = [&](Index j) { return j < first || i - j < window; };
    for (Index j = 0; j <= i; ++j)
        if (exact(j)) largest = std::max(largest, logitOf(head, i, j));
    double numerator = 0.0, mass = 0.0, rest = 0.0, restMass = 0.0;
    for (Index j = 0; j <= i; ++j) {
        const double s = logitOf(head, i, j);
        const double weight = exact(j) ? std::exp(s - largest) : 1.0 + s + 0.5 * s * s;
        (exact(j) ? numerator : rest) += weight * head.value(j, c);
        (exact(j) ? mass : restMass) += weight;
    }
    if (restMass == 0.0) return numerator / mass;
    return (numerator + gate * rest / restMass) / (mass + gate);
}

TEST_P(EvaluationTest, AnExactPartIsTheStatedMixture) {
    const OwnedHead head = randomHead(12, 4, 2, 3);
    const std::vector<Index> rows{0, 2, 5, 11};
    for (const auto& [first, window] : {std::pair<Index, Index>{1, 0}, {0, 3}, {2, 4}, {50, 0}}) {
        const RowsOutput out = run(Taylor{}, {{first, window, 0.7}}, head, rows);
        Matrix<double> expected(4, 2);
        for (Index r = 0; r < 4; ++r)
            for (Index c = 0; c < 2; ++c)
                expected(r, c) = taylorWithExactPart(head, rows[static_cast<std::size_t>(r)], c, first, window, 0.7);
        EXPECT_TRUE(near(out.values, expected, tolerance())) << first << " first and " << window << " latest";
        EXPECT_TRUE(std::isinf(out.exactMass[0])) << "row 0 leaves nothing to the kernel";
    }
}

TEST_P(EvaluationTest, AGateMovesBetweenTheExactKeysAndTheRest) {
    const OwnedHead head = randomHead(20, 4, 3, 5);
    const std::vector<Index> rows{19};
    const auto at = [&](double gate) { return run(Taylor{}, {{2, 3, gate}}, head, rows); };
    const RowsOutput none = at(0.0), all = at(std::numeric_limits<double>::infinity()), some = at(0.4);
    const double mass = none.exactMass.front();
    ASSERT_GT(mass, 1.0 - 1e-6);  // the largest of its terms is 1
    Matrix<double> expected(1, 3);
    for (Index c = 0; c < 3; ++c) expected(0, c) = (mass * none.values(0, c) + 0.4 * all.values(0, c)) / (mass + 0.4);
    EXPECT_TRUE(near(some.values, expected, tolerance()));
    EXPECT_TRUE(near(run(Zero{}, {{2, 3, 0.4}}, head, rows).values, none.values, tolerance())) << "no rest";
}

TEST_P(EvaluationTest, WeightsOfTheTwoPartsMakeTheOutput) {
    OwnedHead head = randomHead(30, 8, 3, 6);
    const std::vector<Index> rows{4, 29};
    const RowsOutput out = run(Elu{}, {{1, 5, 0.8}}, head, rows, true);
    Matrix<double> expected(2, 3);
    for (Index r = 0; r < 2; ++r)
        for (Index c = 0; c < 3; ++c)
            for (Index j = 0; j < 30; ++j) expected(r, c) += static_cast<double>(out.weights(r, j)) * head.value(j, c);
    EXPECT_TRUE(near(out.values, expected, std::max(tolerance(), 1e-6)));  // weights are returned as float
}

TEST_P(EvaluationTest, EveryKernelAgreesWithTheOracle) {
    for (const bool causal : {true, false})
        for (const bool holes : {false, true}) {
            OwnedHead head = randomHead(90, 8, 4, 7);
            head.causal = causal;
            if (holes) {
                head.valid.assign(90, 1);
                for (const std::size_t padded : {0U, 1U, 40U, 41U}) head.valid[padded] = 0;
            }
            const std::vector<Index> rows{2, 5, 42, 89};
            auto mean = std::make_shared<std::vector<double>>(std::vector<double>{.5, -1, 0, 0, 2, .1, 0, 1});
            for (const KernelSpec& spec : allKernels(8, 7))
                for (const Evaluation& how :
                     {Evaluation{{2, 6, 0.5}, {}, {}}, Evaluation{{}, mean, {}}, Evaluation{{0, 3, 1.5}, mean, {}}}) {
                    SCOPED_TRACE(testing::Message()
                                 << kernelName(spec) << " causal " << causal << " holes " << holes << " first "
                                 << how.exact.first << " centred " << (how.keyMean != nullptr));
                    EXPECT_TRUE(
                        near(run(spec, how, head, rows).values, oracle(spec, how, head, rows).values, tolerance()));
                }
        }
}

TEST_P(EvaluationTest, CentredKeysAreShiftedKeysAndLeaveExactAttentionAlone) {
    const OwnedHead head = randomHead(20, 4, 3, 8);
    const std::vector<double> mean{1.0, -0.5, 0.25, 2.0};
    OwnedHead shifted = head;
    for (Index j = 0; j < 20; ++j)
        for (Index r = 0; r < 4; ++r) shifted.key(j, r) -= mean[static_cast<std::size_t>(r)];
    const Evaluation centred{{}, std::make_shared<const std::vector<double>>(mean), {}};
    const std::vector<Index> rows{3, 19};
    for (const KernelSpec& spec : {KernelSpec(Taylor{}), KernelSpec(Elu{})})
        EXPECT_TRUE(near(run(spec, centred, head, rows).values, run(spec, {}, shifted, rows).values, tolerance()))
            << kernelName(spec);
    EXPECT_TRUE(near(run(Softmax{}, centred, head, rows).values, run(Softmax{}, {}, head, rows).values, 0.0));
}

// kernels.md, known answers of sections 1 and 4 for S = {dimension 1}.
TEST_P(EvaluationTest, KnownAnswersOfTheRestriction) {
    Performer performer;
    performer.projection =
        std::make_shared<Matrix<double>>(3, 2,
                                         std::vector<double>{1.24193743586, 0.38417626866, -0.206864144663,
                                                             0.668735542388, 0.907192242851, 1.78241472012});
    const Evaluation first{{}, {}, dimensions({1, 0})};
    EXPECT_TRUE(near(run(performer, first, handHead2(), {2}).values.values(),
                     std::vector<double>{0.129221962371, 0.634877210076}, std::max(tolerance(), 1e-11)));
    EXPECT_TRUE(near(run(TaylorShift{}, first, handHead2(), {1, 2}).values.values(),
                     std::vector<double>{0.811677242176, 0.594161378912, 0.0441820645641, 0.894712497017},
                     std::max(tolerance(), 1e-11)));
}

TEST_P(EvaluationTest, RestrictedKernelsAgreeWithTheOracleAndOthersRefuse) {
    const OwnedHead head = randomHead(70, 8, 3, 9);
    const std::vector<Index> rows{0, 9, 69};
    const Evaluation some{{}, {}, dimensions({1, 0, 0, 1, 1, 0, 0, 0})};
    const Evaluation mixed{{1, 4, 0.6}, {}, some.approximated};
    for (const KernelSpec& spec : allKernels(8, 9)) {
        SCOPED_TRACE(kernelName(spec));
        const bool odd = std::holds_alternative<Power>(spec) && std::get<Power>(spec).exponent % 2 == 1;
        if (!findKernel(kernelName(spec))->properties.restrictable || odd) {
            if (std::holds_alternative<Softmax>(spec)) continue;
            EXPECT_FALSE(fits(spec, some, {70, 8, 3}).supported);
            EXPECT_THROW(run(spec, some, head, rows), ShapeError);
            continue;
        }
        for (const Evaluation& how : {some, mixed})
            EXPECT_TRUE(near(run(spec, how, head, rows).values, oracle(spec, how, head, rows).values, tolerance()));
    }
}

TEST_P(EvaluationTest, NoDimensionLeavesExactAttentionAndAllTheKernelItself) {
    const OwnedHead head = randomHead(25, 4, 3, 10);
    const std::vector<Index> rows{1, 24};
    // Taylor's constant 1 for s = 0: what is left is the exponential of all dimensions.
    EXPECT_TRUE(near(run(Taylor{}, {{}, {}, dimensions({0, 0, 0, 0})}, head, rows).values,
                     run(Softmax{}, {}, head, rows).values, tolerance()));
    EXPECT_TRUE(near(run(Taylor{}, {{}, {}, dimensions({1, 1, 1, 1})}, head, rows).values,
                     run(Taylor{}, {}, head, rows).values, tolerance()));
}

TEST_P(EvaluationTest, RefusesWhatDoesNotFit) {
    const OwnedHead head = randomHead(5, 4, 3, 2);
    const auto three = std::make_shared<const std::vector<double>>(3, 0.0);
    for (const Evaluation& how : {Evaluation{{-1, 0, 1.0}}, Evaluation{{1, 0, -0.1}}, Evaluation{{1, 0, std::nan("")}},
                                  Evaluation{{}, three}, Evaluation{{}, {}, dimensions({1, 0, 1})}})
        EXPECT_THROW(run(Taylor{}, how, head, {1}), ShapeError);
}

}  // namespace
}  // namespace dimscope::tests
