// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/kernel_comparison.h"

#include <cmath>

#include "kernels/backend_registry.h"
#include "kernels/error.h"
#include "tests/support/compare.h"
#include "tests/support/memory_source.h"

namespace dimscope::tests {
namespace {

using namespace analysis;

ComparisonResult compare(ComparisonParams params, MemorySource& source, const char* backend = "reference") {
    const auto made = kernels::makeBackend(backend);
    return compareKernels(params, KernelFactory{}, source, *made, {});
}

const PooledError& pooledOver(const ComparisonResult& result, const std::string& kernel) {
    for (const PooledError& entry : result.pooled)
        if (!entry.layer && entry.kernel == kernel) return entry;
    throw std::out_of_range(kernel);
}

TEST(Comparison, ExactAttentionHasNoErrorAndZeroHasRelativeErrorOne) {
    MemorySource source({});
    ComparisonParams params;
    params.kernels = {"softmax", "zero", "taylor"};
    params.rows = 6;
    const ComparisonResult result = compare(params, source);
    EXPECT_EQ(pooledOver(result, "softmax").mse, 0.0);
    EXPECT_NEAR(pooledOver(result, "zero").relMse, 1.0, 1e-12);
    EXPECT_NEAR(*pooledOver(result, "zero").relMseAfterWo, 1.0, 1e-12);
    EXPECT_GT(pooledOver(result, "taylor").relMse, 0.0);
}

TEST(Comparison, ErrorsAreThoseOfTheKeptOutputs) {
    MemorySource source({});
    ComparisonParams params;
    params.kernels = {"performer", "taylorshift"};
    params.seeds = {0, 3};
    params.rows = 5;
    params.keepOutputs = true;
    const ComparisonResult result = compare(params, source);
    ASSERT_EQ(result.outputs.size(), 6U);  // exact and two kernels in two layers
    const KernelOutputs& exact = result.outputs[0];
    const KernelOutputs& performer = result.outputs[1];
    EXPECT_EQ(performer.shape, (std::vector<Index>{2, 3, 4, 5, 6}));
    double error = 0.0, count = 0.0;
    const std::size_t draw = exact.values.size();
    for (std::size_t n = 0; n < performer.values.size(); ++n) {
        const std::size_t m = n % draw;
        if ((m / 30) % 4 != 1) continue;  // head 1: [P, H, R, Dv] with R Dv = 30
        error += std::pow(performer.values[n] - exact.values[m], 2);
        count += 1.0;
    }
    const KernelError* head = result.find(LayerIndex{3}, HeadIndex{1}, "performer");
    EXPECT_NEAR(head->mse, error / count, 1e-12 * head->mse);
    EXPECT_EQ(head->seedMse.size(), 2U);
    EXPECT_NEAR(0.5 * (head->seedMse[0] + head->seedMse[1]), head->mse, 1e-12);
    EXPECT_EQ(result.find(LayerIndex{3}, HeadIndex{1}, "taylorshift")->seedMse.size(), 1U);
}

TEST(Comparison, RowsAreDrawnOnceAndAmongValidPositions) {
    MemorySource source({});
    std::vector<std::uint8_t> valid(24, 1);
    for (std::size_t n = 0; n < 20; ++n) valid[n] = 0;
    source.setValidity(1, valid);
    ComparisonParams params;
    params.kernels = {"taylor"};
    params.rows = 10;
    const ComparisonResult result = compare(params, source, "cpu");
    ASSERT_EQ(result.positions.size(), 3U);
    for (const auto& rows : result.positions) EXPECT_EQ(rows.size(), 4U);  // prompt 1 has no more
    for (const Index row : result.positions[1]) EXPECT_GE(row, 20);
    EXPECT_EQ(result.warnings.front().code, "fewer-rows");
    EXPECT_EQ(compare(params, source, "cpu").positions, result.positions);
}

TEST(Comparison, BackendsAgree) {
    MemorySource source({});
    ComparisonParams params;
    params.kernels = {"performer", "spectraformer", "dijiang", "taylorshift", "taylor", "global", "oal"};
    params.rows = 7;
    const ComparisonResult exact = compare(params, source), fast = compare(params, source, "cpu");
    for (std::size_t n = 0; n < exact.heads.size(); ++n)
        EXPECT_NEAR(fast.heads[n].mse, exact.heads[n].mse, 1e-5 * exact.heads[n].mse + 1e-10) << exact.heads[n].kernel;
}

TEST(Comparison, ManyRowsInBlocksGiveWhatFewGive) {
    MemorySource source({.prompts = 1, .positions = 300});
    ComparisonParams all;
    all.selection.layers = {LayerIndex{3}};
    all.kernels = {"taylor"};
    all.rows = 0;
    const ComparisonResult whole = compare(all, source, "cpu");
    EXPECT_EQ(whole.positions.front().size(), 300U);
    ComparisonParams last = all;
    last.positions = {{299}};
    const ComparisonResult one = compare(last, source, "cpu");
    // Float products, grouped differently in a block of rows; observed 2e-6.
    EXPECT_NEAR(whole.heads[0].rowError[299], one.heads[0].rowError[0], 1e-5 * one.heads[0].rowError[0]);
}

TEST(Comparison, AMarkedHeadKeepsItsPlaceWithoutNumbers) {
    MemorySource source({});
    source.poison(7, 1);
    ComparisonParams params;
    params.kernels = {"taylor"};
    params.rows = 4;
    const ComparisonResult result = compare(params, source, "cpu");
    EXPECT_TRUE(std::isnan(result.find(LayerIndex{7}, HeadIndex{1}, "taylor")->mse));
    EXPECT_FALSE(pooledOver(result, "taylor").mseAfterWo.has_value());
    EXPECT_TRUE(std::isfinite(pooledOver(result, "taylor").mse));
}

TEST(Comparison, RefusesWhatCannotBe) {
    MemorySource source({.headDim = 6});
    ComparisonParams params;
    params.kernels = {"spectraformer"};
    params.rows = 4;
    EXPECT_THROW(compare(params, source), kernels::ShapeError);
    const auto backend = kernels::makeBackend("cpu");
    EXPECT_EQ(compareKernels(params, KernelFactory{}, source, *backend, {}, true).warnings.front().code, "unsupported");
    params.kernels = {"nonsense"};
    EXPECT_THROW(compare(params, source), kernels::ArgumentError);
    params.kernels = {"taylor"};
    params.positions = {{0}, {1}, {24}};
    EXPECT_THROW(compare(params, source), kernels::ArgumentError);
    params.selection.layers = {LayerIndex{5}};
    EXPECT_THROW(compare(params, source), kernels::ArgumentError);
}

TEST(Comparison, WeightsOfTheFirstHeadAreKept) {
    MemorySource source({});
    ComparisonParams params;
    params.selection.layers = {LayerIndex{3}};
    params.selection.heads = {HeadIndex{1}};
    params.kernels = {"taylor", "performer"};
    params.rows = 4;
    params.keepWeights = true;
    const ComparisonResult result = compare(params, source, "cpu");
    ASSERT_EQ(result.weights.size(), 3U);
    EXPECT_EQ(result.weights[0].kernel, "softmax");
    EXPECT_EQ(result.weights[2].weights->cols(), 24);
}

}  // namespace
}  // namespace dimscope::tests
