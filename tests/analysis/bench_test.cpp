// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/bench/bench.h"

#include <gtest/gtest.h>

#include "analysis/bench/bench_source.h"
#include "kernels/backend_registry.h"
#include "kernels/error.h"
#include "tests/support/memory_source.h"

namespace dimscope::tests {
namespace {

using namespace analysis;

// Float operators against double, relative to the energy of the rows; observed 4e-7.
constexpr double kTolerance = 1e-5;

BenchParams smallBench(BenchJob job, std::vector<std::string> kernels) {
    BenchParams params;
    params.job = job;
    params.kernels = std::move(kernels);
    params.positions = {40, 100};
    params.repeat = 3;
    params.rows = 8;
    params.threads = 2;
    return params;
}

BenchResult benched(const BenchParams& params, const KernelFactory& factory = KernelFactory{},
                    bool skipUnsupported = false) {
    BenchSource source({4, 2, 8}, 100, 1);
    const auto backend = kernels::makeBackend("cpu", {2, 0});
    return runBench(params, factory, source, *backend, {}, skipUnsupported);
}

void expectMeasured(const BenchRow& row) {
    ASSERT_TRUE(row.ms && row.msLeast) << row.kernel;
    EXPECT_GT(*row.msLeast, 0.0) << row.kernel;
    EXPECT_GE(*row.ms, *row.msLeast) << row.kernel;
}

TEST(Bench, OperatorsAreMeasuredBesideExactAttentionAtEveryLength) {
    KernelFactory factory;
    factory.setGroups(LayerIndex{0}, HeadIndex{0}, {0, 0, 0, 0, 0, 1, 1, 2});
    const BenchResult result =
        benched(smallBench(BenchJob::Operator, {"taylor", "based", "global", "oal", "power"}), factory);
    ASSERT_EQ(result.rows.size(), 12U);
    EXPECT_EQ(result.shape, "4/2x8");
    EXPECT_EQ(result.rows[0].kernel, "softmax");
    EXPECT_EQ(result.rows[0].positions, 40);
    EXPECT_EQ(result.rows[6].positions, 100);
    EXPECT_EQ(*result.rows[6].ratioToExact, 1.0);
    for (const BenchRow& row : result.rows) {
        expectMeasured(row);
        ASSERT_TRUE(row.gflops && row.peakBytes && row.ratioToExact && row.error) << row.kernel;
        EXPECT_GT(*row.gflops, 0.0) << row.kernel;
        EXPECT_GT(*row.peakBytes, 0) << row.kernel;
        EXPECT_GT(*row.ratioToExact, 0.0) << row.kernel;
        EXPECT_GT(*row.error, 0.0) << row.kernel;
        EXPECT_LE(*row.error, kTolerance) << row.kernel;
    }
    EXPECT_TRUE(result.warnings.empty());
}

TEST(Bench, ExactAttentionIsCountedByItsVisiblePairs) {
    const BenchRow row = benched(smallBench(BenchJob::Operator, {})).rows[1];
    EXPECT_NEAR(*row.gflops * *row.ms * 1e6, 4.0 * 100.0 * 100.0 * 16.0, 1.0);  // heads, N / 2 pairs, 2 (d + d_v)
}

TEST(Bench, AKernelWithoutAnOperatorHasARowWithoutNumbersAndAWarning) {
    BenchParams params = smallBench(BenchJob::Operator, {"zeros_sm"});
    params.positions = {40};
    const BenchResult result = benched(params);
    ASSERT_EQ(result.rows.size(), 2U);
    EXPECT_EQ(result.rows[1].kernel, "zeros_sm");
    EXPECT_FALSE(result.rows[1].ms || result.rows[1].gflops || result.rows[1].peakBytes || result.rows[1].error);
    ASSERT_EQ(result.warnings.size(), 1U);
    EXPECT_EQ(result.warnings[0].code, "no-operator");
}

TEST(Bench, AKernelThatTheLayerCannotHaveIsAnErrorWhenNamed) {
    BenchSource source({2, 1, 6}, 100, 1);
    const auto backend = kernels::makeBackend("cpu", {1, 0});
    const BenchParams params = smallBench(BenchJob::Compare, {"spectraformer"});
    EXPECT_THROW(runBench(params, KernelFactory{}, source, *backend, {}), kernels::ShapeError);
    const BenchResult skipped = runBench(params, KernelFactory{}, source, *backend, {}, true);
    EXPECT_FALSE(skipped.rows[1].ms);
    EXPECT_EQ(skipped.warnings.front().code, "unsupported");
}

TEST(Bench, ComparisonRowsAgreeWithTheReference) {
    const BenchResult result = benched(smallBench(BenchJob::Compare, {"performer", "elu"}));
    ASSERT_EQ(result.rows.size(), 6U);
    for (const BenchRow& row : result.rows) {
        expectMeasured(row);
        EXPECT_TRUE(row.ratioToExact) << row.kernel;
        ASSERT_TRUE(row.error) << row.kernel;
        EXPECT_LE(*row.error, kTolerance) << row.kernel;
        EXPECT_FALSE(row.peakBytes) << row.kernel;
    }
}

TEST(Bench, ProfileAndCalibrationAreTimed) {
    const BenchResult profile = benched(smallBench(BenchJob::Profile, {}));
    ASSERT_EQ(profile.rows.size(), 2U);
    EXPECT_EQ(profile.rows[0].kernel, "");
    for (const BenchRow& row : profile.rows) expectMeasured(row);
    const BenchResult fits = benched(smallBench(BenchJob::Calibrate, {"taylorshift", "global"}));
    ASSERT_EQ(fits.rows.size(), 4U);
    EXPECT_EQ(fits.rows[3].kernel, "global");
    for (const BenchRow& row : fits.rows) expectMeasured(row);
}

TEST(Bench, SettingsReachTheKernels) {
    KernelSettings settings;
    settings.set("power", "p", 4);
    const BenchResult result = benched(smallBench(BenchJob::Operator, {"power"}), KernelFactory(settings));
    EXPECT_FALSE(result.rows[1].ms);  // only the square is quadratic
    EXPECT_EQ(result.provenance.parameters.back().first, "kernel_settings");
}

TEST(Bench, RefusesLengthsAndPaddingThatItCannotMeasure) {
    BenchParams params = smallBench(BenchJob::Operator, {});
    params.positions = {101};
    EXPECT_THROW(benched(params), kernels::ArgumentError);
    MemorySource source(MemorySource::Shape{});
    source.setValidity(1, std::vector<std::uint8_t>(24, 0));
    params.layer = LayerIndex{3};
    params.prompt = PromptIndex{1};
    params.positions = {24};
    const auto backend = kernels::makeBackend("cpu", {1, 0});
    EXPECT_THROW(runBench(params, KernelFactory{}, source, *backend, {}), kernels::ArgumentError);
    params.prompt = PromptIndex{0};
    EXPECT_EQ(runBench(params, KernelFactory{}, source, *backend, {}).rows.size(), 1U);
}

TEST(Bench, ACancelledRunEndsAsCancelled) {
    const RunControl control;
    control.cancel();
    BenchSource source({2, 1, 8}, 100, 1);
    const auto backend = kernels::makeBackend("cpu", {1, 0});
    for (const BenchJob job : {BenchJob::Operator, BenchJob::Compare, BenchJob::Profile, BenchJob::Calibrate})
        EXPECT_THROW(runBench(smallBench(job, {"global"}), KernelFactory{}, source, *backend, control),
                     kernels::Cancelled);
}

TEST(Bench, TheTableHasTheKeysOfTheCommandLine) {
    const Table table = benchTable(benched(smallBench(BenchJob::Operator, {"zeros_sm"})));
    std::vector<std::string> names;
    for (const Column& column : table.columns) names.push_back(column.name);
    EXPECT_EQ(names, (std::vector<std::string>{"job", "kernel", "backend", "shape", "positions", "ms", "ms_min",
                                               "gflops", "peak_bytes", "ratio_to_exact", "error"}));
    EXPECT_EQ(table.rows(), 4U);
}

}  // namespace
}  // namespace dimscope::tests
