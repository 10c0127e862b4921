// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/contribution/layer_magnitudes.h"

#include <algorithm>
#include <cmath>

#include "analysis/statistics.h"
#include "kernels/backend_registry.h"
#include "kernels/error.h"
#include "tests/support/compare.h"
#include "tests/support/memory_source.h"

namespace dimscope::tests {
namespace {

using namespace analysis;
using Matrix = kernels::Matrix<double>;

/// Sums in another order.
constexpr double kMagnitudeRounding = 1e-12;

Matrix tensorOf(MemorySource& source, TensorKind kind, int layer, int prompt, int head) {
    return std::get<Matrix>(source.load(kind, LayerIndex{layer}, PromptIndex{prompt}, head, {})->values);
}

std::vector<double> meanAbsOf(const Matrix& x, const std::vector<std::uint8_t>& valid) {
    std::vector<double> mean(static_cast<std::size_t>(x.cols()), 0.0);
    double count = 0.0;
    for (Index i = 0; i < x.rows(); ++i) {
        if (valid[static_cast<std::size_t>(i)] == 0) continue;
        count += 1.0;
        for (Index r = 0; r < x.cols(); ++r) mean[static_cast<std::size_t>(r)] += std::abs(x(i, r));
    }
    for (double& m : mean) m /= count;
    return mean;
}

/// Largest three and median of a list, by sorting it whole.
void expectSummary(const MagnitudeSummary& summary, std::vector<double> values) {
    ASSERT_EQ(summary.top.size(), 3U);
    std::sort(values.rbegin(), values.rend());
    for (std::size_t n = 0; n < 3; ++n) EXPECT_NEAR(summary.top[n].value, values[n], kMagnitudeRounding);
    const std::size_t half = values.size() / 2;
    const double median = values.size() % 2 == 1 ? values[half] : 0.5 * (values[half - 1] + values[half]);
    EXPECT_NEAR(summary.median, median, kMagnitudeRounding);
}

std::vector<std::uint8_t> paddedBy(std::size_t count, std::size_t positions) {
    std::vector<std::uint8_t> valid(positions, 1);
    std::fill(valid.begin(), valid.begin() + static_cast<std::ptrdiff_t>(count), 0);
    return valid;
}

/// Mean over prompts of the mean |x| of every dimension of every head.
std::vector<double> expectedMeans(MemorySource& source, TensorKind kind, int layer, int heads,
                                  const std::vector<std::vector<std::uint8_t>>& valid) {
    std::vector<double> all;
    for (int h = 0; h < heads; ++h) {
        std::vector<double> mean;
        for (std::size_t p = 0; p < valid.size(); ++p) {
            const auto one = meanAbsOf(tensorOf(source, kind, layer, static_cast<int>(p), h), valid[p]);
            mean.resize(one.size(), 0.0);
            for (std::size_t r = 0; r < one.size(); ++r) mean[r] += one[r] / static_cast<double>(valid.size());
        }
        all.insert(all.end(), mean.begin(), mean.end());
    }
    return all;
}

/// y W_o of every valid row: plain softmax, key by key.
std::vector<double> expectedOutputs(MemorySource& source, int layer,
                                    const std::vector<std::vector<std::uint8_t>>& valid) {
    const LayerInfo& info = *source.info().find(LayerIndex{layer});
    const Matrix w = *source.outputProjection(LayerIndex{layer}, {});
    std::vector<double> mean(static_cast<std::size_t>(w.rows()), 0.0);
    for (std::size_t p = 0; p < valid.size(); ++p) {
        Matrix projected(info.positions, w.rows());
        for (int h = 0; h < info.nHeads; ++h) {
            const int prompt = static_cast<int>(p);
            const Matrix q = tensorOf(source, TensorKind::Query, layer, prompt, h);
            const Matrix k = tensorOf(source, TensorKind::Key, layer, prompt, h / 2);
            const Matrix v = tensorOf(source, TensorKind::Value, layer, prompt, h / 2);
            for (Index i = 0; i < info.positions; ++i) {
                std::vector<double> y(static_cast<std::size_t>(info.valueDim), 0.0);
                double sum = 0.0;
                for (Index j = 0; j <= i; ++j) {
                    if (valid[p][static_cast<std::size_t>(j)] == 0) continue;
                    double logit = 0.0;
                    for (Index r = 0; r < info.headDim; ++r) logit += info.scale * q(i, r) * k(j, r);
                    sum += std::exp(logit);
                    for (Index c = 0; c < info.valueDim; ++c)
                        y[static_cast<std::size_t>(c)] += std::exp(logit) * v(j, c);
                }
                for (Index m = 0; m < w.rows(); ++m)
                    for (Index c = 0; c < info.valueDim; ++c)
                        projected(i, m) += w(m, h * info.valueDim + c) * y[static_cast<std::size_t>(c)] / sum;
            }
        }
        const auto one = meanAbsOf(projected, valid[p]);
        for (std::size_t m = 0; m < mean.size(); ++m) mean[m] += one[m] / static_cast<double>(valid.size());
    }
    return mean;
}

TEST(LayerMagnitudes, AgreeWithPlainLoops) {
    MemorySource source({.prompts = 2, .positions = 12});
    source.setValidity(1, paddedBy(4, 12));
    source.editInfo().prompts[1].validPositions = 8;
    const std::vector<std::vector<std::uint8_t>> valid{paddedBy(0, 12), paddedBy(4, 12)};
    const auto backend = kernels::makeBackend("reference");
    LayerMagnitudesParams params;
    params.rows = 0;
    const LayerMagnitudesResult result = layerMagnitudes(params, source, *backend, {});
    ASSERT_EQ(result.layers.size(), 2U);
    for (const LayerMagnitudes& layer : result.layers) {
        const int number = layer.layer.value;
        expectSummary(layer.query, expectedMeans(source, TensorKind::Query, number, 4, valid));
        expectSummary(layer.key, expectedMeans(source, TensorKind::Key, number, 2, valid));
        ASSERT_TRUE(layer.value && layer.output);
        expectSummary(*layer.value, expectedMeans(source, TensorKind::Value, number, 2, valid));
        EXPECT_FALSE(layer.hidden);
        // The places name the dimension that the value belongs to.
        const LargeDimension& top = layer.query.top.front();
        const auto q = expectedMeans(source, TensorKind::Query, number, 4, valid);
        EXPECT_NEAR(q[static_cast<std::size_t>(top.head * 8 + top.dimension)], top.value, kMagnitudeRounding);
    }
    EXPECT_EQ(layerMagnitudesTable(result).rows(), 8U);
}

// All prompts get as many rows as the shortest has, so a test of every row has prompts of one length.
TEST(LayerMagnitudes, OutputsAfterTheProjection) {
    MemorySource source({.prompts = 2, .positions = 12});
    const std::vector<std::vector<std::uint8_t>> valid(2, paddedBy(0, 12));
    const auto backend = kernels::makeBackend("reference");
    LayerMagnitudesParams params;
    params.rows = 0;
    const LayerMagnitudesResult result = layerMagnitudes(params, source, *backend, {});
    EXPECT_EQ(result.rows, 12);
    for (const LayerMagnitudes& layer : result.layers)
        expectSummary(*layer.output, expectedOutputs(source, layer.layer.value, valid));
}

/// With a residual stream in layer 3 and summaries in layer 7.
class HiddenSource : public MemorySource {
public:
    using MemorySource::MemorySource;
    std::shared_ptr<const HiddenState> hiddenState(LayerIndex layer, PromptIndex prompt, const RunControl&) override {
        auto state = std::make_shared<HiddenState>();
        if (layer.value == 7) {
            (maximumAlone ? state->maxAbs : state->meanAbs) = {1.0, 5.0 + 2.0 * prompt.value, 3.0, 2.0};
            return state;
        }
        Matrix h(24, 4);
        for (Index i = 0; i < 24; ++i)
            for (Index r = 0; r < 4; ++r) h(i, r) = (i % 2 == 0 ? 1.0 : -1.0) * static_cast<double>(r + 1);
        h(20, 0) = 1000.0;  // beyond the selected length
        state->positions.emplace();
        state->positions->values = h;
        return state;
    }
    bool maximumAlone = false;
};

TEST(LayerMagnitudes, ResidualStreamAndItsSummaries) {
    HiddenSource source({.prompts = 2});
    const auto backend = kernels::makeBackend("reference");
    LayerMagnitudesParams params;
    params.selection.length = 16;
    const LayerMagnitudesResult result = layerMagnitudes(params, source, *backend, {});
    expectSummary(*result.layers[0].hidden, {1.0, 2.0, 3.0, 4.0});
    expectSummary(*result.layers[1].hidden, {1.0, 6.0, 3.0, 2.0});
    EXPECT_EQ(result.layers[1].hidden->top.front().dimension, 1);
    EXPECT_EQ(result.layers[1].hidden->top.front().head, -1);
    EXPECT_FALSE(result.layers[1].hiddenIsMaximum);
    EXPECT_EQ(std::count_if(result.warnings.begin(), result.warnings.end(),
                            [](const Warning& warning) { return warning.code == "whole_prompts"; }),
              1);
    source.maximumAlone = true;
    const LayerMagnitudesResult maximum = layerMagnitudes({}, source, *backend, {});
    EXPECT_TRUE(maximum.layers[1].hiddenIsMaximum);
    EXPECT_FALSE(maximum.layers[0].hiddenIsMaximum);
    expectSummary(*maximum.layers[1].hidden, {1.0, 6.0, 3.0, 2.0});
}

TEST(LayerMagnitudes, WhatTheDumpLacksIsAbsentAndSaid) {
    MemorySource source({.withProjection = false});
    const auto backend = kernels::makeBackend("reference");
    LayerMagnitudesParams params;
    params.rows = 8;
    const auto codes = [&] {
        std::vector<std::string> found;
        for (const Warning& warning : layerMagnitudes(params, source, *backend, {}).warnings)
            found.push_back(warning.code);
        return found;
    };
    EXPECT_EQ(codes(), (std::vector<std::string>{"no_projected_output", "no_residual_stream"}));
    for (LayerInfo& layer : source.editInfo().layers) layer.hasValue = false;
    EXPECT_EQ(codes(), (std::vector<std::string>{"no_values", "no_residual_stream"}));
    const LayerMagnitudesResult result = layerMagnitudes(params, source, *backend, {});
    EXPECT_FALSE(result.layers[0].value || result.layers[0].output);

    MemorySource whole({});
    params.selection.heads = {HeadIndex{1}, HeadIndex{2}};  // y W_o needs all heads
    const LayerMagnitudesResult some = layerMagnitudes(params, whole, *backend, {});
    EXPECT_FALSE(some.layers[0].output);
    for (const LargeDimension& large : some.layers[0].query.top) EXPECT_TRUE(large.head == 1 || large.head == 2);
}

TEST(LayerMagnitudes, ADimensionThatIsNotFiniteIsLeftOut) {
    MemorySource source({});
    source.poison(3, 1);  // dimension 1 at position 2
    const auto backend = kernels::makeBackend("reference");
    const LayerMagnitudesResult result = layerMagnitudes({}, source, *backend, {});
    EXPECT_TRUE(std::isfinite(result.layers[0].query.median));
    for (const LargeDimension& large : result.layers[0].query.top)
        EXPECT_FALSE(large.head == 1 && large.dimension == 1);
    EXPECT_TRUE(std::any_of(result.warnings.begin(), result.warnings.end(),
                            [](const Warning& warning) { return warning.code == "nonfinite"; }));
}

TEST(LayerMagnitudes, TheSameOnAnyNumberOfThreadsAndStops) {
    MemorySource source({.positions = 40});
    const auto medians = [&](int threads) {
        std::vector<double> found;
        const auto backend = kernels::makeBackend("cpu", {threads, 0});
        for (const LayerMagnitudes& layer : layerMagnitudes({}, source, *backend, {}).layers)
            found.push_back(layer.output->median);
        return found;
    };
    EXPECT_EQ(medians(1), medians(3));
    const auto backend = kernels::makeBackend("reference");
    const RunControl cancelled;
    cancelled.cancel();
    EXPECT_THROW(layerMagnitudes({}, source, *backend, cancelled), kernels::Cancelled);
}

}  // namespace
}  // namespace dimscope::tests
