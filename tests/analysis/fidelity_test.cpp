// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/fidelity/fidelity.h"

#include <algorithm>
#include <cmath>

#include "analysis/fidelity/weight_agreement.h"
#include "analysis/kernel_comparison.h"
#include "analysis/statistics.h"
#include "kernels/backend_registry.h"
#include "kernels/error.h"
#include "tests/support/compare.h"
#include "tests/support/head_cases.h"
#include "tests/support/memory_source.h"

namespace dimscope::tests {
namespace {

using namespace analysis;
using kernels::RowsOutput;

FidelityResult fidelityOf(const FidelityParams& params, HeadSource& source,
                          const KernelFactory& factory = KernelFactory(), const std::string& backend = "reference",
                          int threads = 1) {
    return frozenFidelity(params, factory, source, *kernels::makeBackend(backend, {threads, 0}), {});
}

const MethodFidelity& methodOf(const FidelityResult& result, const std::string& kernel, bool calibrated = false) {
    const auto found = std::find_if(result.methods.begin(), result.methods.end(), [&](const MethodFidelity& method) {
        return method.method.kernel == kernel && method.method.calibrated == calibrated;
    });
    EXPECT_NE(found, result.methods.end()) << kernel;
    return *found;
}

bool hasWarning(const std::vector<Warning>& warnings, const std::string& code) {
    return std::any_of(warnings.begin(), warnings.end(), [&](const Warning& w) { return w.code == code; });
}

TEST(Fidelity, AtTheSameRowsItIsTheComparison) {
    MemorySource source({});
    ComparisonParams compared;
    compared.kernels = {"performer", "taylorshift", "rebased", "zero", "uniform", "first_value"};
    compared.rows = 9;
    compared.seeds = {0, 3};
    compared.rowSeed = 5;
    const ComparisonResult expected =
        compareKernels(compared, KernelFactory(), source, *kernels::makeBackend("reference"), {});
    FidelityParams params;
    params.kernels = {"performer", "taylorshift", "rebased"};
    params.rows = 9;
    params.seeds = {0, 3};
    params.seed = 5;
    const FidelityResult result = fidelityOf(params, source);
    // The same sums in another order, and W_o as rows against columns.
    constexpr double kRounding = 1e-12;
    for (const PooledError& pooled : expected.pooled) {
        if (!pooled.layer) {
            const MethodFidelity& method = methodOf(result, pooled.kernel);
            EXPECT_NEAR(method.before.error.mse, pooled.mse, kRounding * pooled.mse) << pooled.kernel;
            EXPECT_NEAR(method.before.error.relMse, pooled.relMse, kRounding * pooled.relMse) << pooled.kernel;
            ASSERT_TRUE(method.after);
            EXPECT_NEAR(method.after->error.mse, *pooled.mseAfterWo, kRounding * *pooled.mseAfterWo) << pooled.kernel;
            EXPECT_NEAR(method.after->error.relMse, *pooled.relMseAfterWo, kRounding * *pooled.relMseAfterWo);
            continue;
        }
        for (const LayerFidelity& layer : result.layers)
            if (layer.layer == *pooled.layer && layer.method.kernel == pooled.kernel) {
                EXPECT_NEAR(layer.before.relMse, pooled.relMse, kRounding * pooled.relMse);
                EXPECT_NEAR(layer.after->relMse, *pooled.relMseAfterWo, kRounding * *pooled.relMseAfterWo);
            }
    }
    ASSERT_EQ(result.heads.size(), expected.heads.size());
    for (const HeadFidelity& head : result.heads)
        EXPECT_NEAR(head.before.mse, expected.find(head.layer, head.head, head.method.kernel)->mse,
                    kRounding * head.before.mse);
}

// Gates are fitted on the same rows, so they are the same.
TEST(Fidelity, WithAnExactPartItIsTheComparisonToo) {
    MemorySource source({.positions = 90});
    ComparisonParams compared;
    compared.selection.prompts = {PromptIndex{0}, PromptIndex{1}};
    compared.kernels = {"taylor", "elu"};
    compared.rows = 11;
    compared.evaluation = {.exactFirst = 1, .exactWindow = 3, .centreKeys = true, .train = {PromptIndex{2}}};
    const ComparisonResult expected =
        compareKernels(compared, KernelFactory(), source, *kernels::makeBackend("reference"), {});
    FidelityParams params;
    params.selection = compared.selection;
    params.kernels = {"taylor", "elu"};
    params.rows = 11;
    params.evaluation = compared.evaluation;
    const FidelityResult result = fidelityOf(params, source);
    for (const PooledError& pooled : expected.pooled)
        if (!pooled.layer) {
            const double found = methodOf(result, pooled.kernel).before.error.relMse;
            EXPECT_NEAR(found, pooled.relMse, 1e-12 * pooled.relMse) << pooled.kernel;
        }
    // At all rows the state path carries the exact part along.
    params.rows = 0;
    const FidelityResult state = fidelityOf(params, source);
    params.path = FidelityPath::Pairwise;
    const FidelityResult pairwise = fidelityOf(params, source);
    EXPECT_EQ(methodOf(state, "taylor").method.path, "state");
    EXPECT_NEAR(methodOf(state, "taylor").before.error.relMse, methodOf(pairwise, "taylor").before.error.relMse, 1e-9);
}

/// Errors of one head against exact attention at all rows, by the oracle.
struct OracleHead {
    kernels::Matrix<double> exact, kernel;
};

OracleHead oracleHead(MemorySource& source, const LayerInfo& layer, int prompt, int head,
                      const kernels::KernelSpec& spec) {
    const auto load = [&](TensorKind kind, int of) {
        return source.load(kind, layer.layer, PromptIndex{prompt}, of, {});
    };
    const auto query = load(TensorKind::Query, head), key = load(TensorKind::Key, head / 2),
               value = load(TensorKind::Value, head / 2);
    kernels::HeadInputs inputs;
    inputs.query = kernels::viewOf(query->values);
    inputs.key = kernels::viewOf(key->values);
    inputs.value = kernels::viewOf(value->values);
    inputs.scale = layer.scale;
    const std::vector<kernels::KernelSpec> specs{kernels::Softmax{}, spec};
    const std::vector<Index> rows = allRows(layer.positions);
    const kernels::RowsJob job{inputs, rows, specs, false};
    const auto outputs = kernels::makeBackend("reference")->attendRows({&job, 1}, {}).front();
    return {outputs[0].values, outputs[1].values};
}

// Everything of one layer by plain loops over the definitions.
TEST(Fidelity, NumbersOfTheLayerAreThoseOfPlainLoops) {
    MemorySource source({});
    FidelityParams params;
    params.selection.layers = {LayerIndex{7}};
    params.kernels = {"taylor"};
    const FidelityResult result = fidelityOf(params, source);
    const LayerInfo& layer = *source.info().find(LayerIndex{7});
    const auto w = *source.outputProjection(layer.layer, {});
    double joint = 0.0, projectedEnergy = 0.0;
    std::vector<double> single(4, 0.0), error(4, 0.0), energy(4, 0.0), product(4, 0.0), size(4, 0.0);
    std::vector<std::vector<double>> sum(4, std::vector<double>(6, 0.0));
    double rows = 0.0;
    for (int p = 0; p < 3; ++p) {
        std::vector<OracleHead> heads;
        for (int h = 0; h < 4; ++h) heads.push_back(oracleHead(source, layer, p, h, kernels::Taylor{}));
        for (Index i = 0; i < 24; ++i, rows += 1.0) {
            std::vector<double> total(5, 0.0), exact(5, 0.0);
            for (int h = 0; h < 4; ++h) {
                const auto n = static_cast<std::size_t>(h);
                std::vector<double> alone(5, 0.0);
                for (Index c = 0; c < 6; ++c) {
                    const double y = heads[n].exact(i, c), a = heads[n].kernel(i, c);
                    error[n] += (a - y) * (a - y);
                    energy[n] += y * y;
                    product[n] += a * y;
                    size[n] += a * a;
                    sum[n][static_cast<std::size_t>(c)] += y;
                    for (Index o = 0; o < 5; ++o) {
                        alone[static_cast<std::size_t>(o)] += w(o, h * 6 + c) * (a - y);
                        exact[static_cast<std::size_t>(o)] += w(o, h * 6 + c) * y;
                    }
                }
                for (std::size_t o = 0; o < 5; ++o) {
                    single[n] += alone[o] * alone[o];
                    total[o] += alone[o];
                }
            }
            for (std::size_t o = 0; o < 5; ++o) {
                joint += total[o] * total[o];
                projectedEnergy += exact[o] * exact[o];
            }
        }
    }
    // Sums of the same numbers in another order and by a state: double.
    constexpr double kRounding = 1e-10;
    const double singles = single[0] + single[1] + single[2] + single[3];
    for (const LayerFidelity& found : result.layers) {
        if (found.method.kernel != "taylor") continue;
        EXPECT_NEAR(found.joint, joint / (rows * 5.0), kRounding);
        EXPECT_NEAR(found.singles, singles / (rows * 5.0), kRounding);
        EXPECT_NEAR(found.cross, (joint - singles) / (rows * 5.0), kRounding);
        EXPECT_NEAR(found.after->relMse, joint / projectedEnergy, kRounding);
    }
    int seen = 0;
    for (const HeadFidelity& head : result.heads) {
        if (head.method.kernel != "taylor") continue;
        const auto n = static_cast<std::size_t>(head.head.value);
        double centred = energy[n];
        for (const double s : sum[n]) centred -= s * s / rows;
        const double cosine = product[n] / std::sqrt(size[n] * energy[n]);
        EXPECT_NEAR(head.before.mse, error[n] / (rows * 6.0), kRounding);
        EXPECT_NEAR(head.before.relMse, error[n] / energy[n], kRounding);
        EXPECT_NEAR(head.fvu, error[n] / centred, kRounding);
        EXPECT_NEAR(head.cosine, cosine, kRounding);
        // The best scale a = w.y / |w|^2 put into the error itself.
        const double scale = product[n] / size[n];
        EXPECT_NEAR(head.relMseScaled, (energy[n] - 2.0 * scale * product[n] + scale * scale * size[n]) / energy[n],
                    kRounding);
        ASSERT_TRUE(head.after);
        EXPECT_NEAR(head.after->mse, single[n] / (rows * 5.0), kRounding);
        EXPECT_NEAR(head.after->relMse, single[n] / projectedEnergy, kRounding);
        ++seen;
    }
    EXPECT_EQ(seen, 4);
}

TEST(Fidelity, TheStatePathIsThePairwiseOne) {
    MemorySource source({});
    source.setValidity(1, [] {
        std::vector<std::uint8_t> valid(24, 1);
        for (std::size_t i = 0; i < 7; ++i) valid[i] = 0;
        return valid;
    }());
    FidelityParams params;
    params.kernels = {"performer", "spectraformer", "dijiang", "taylorshift", "taylor", "oal", "elu", "zeros_sm"};
    const FidelityResult state = fidelityOf(params, source);
    params.path = FidelityPath::Pairwise;
    const FidelityResult pairwise = fidelityOf(params, source);
    ASSERT_EQ(state.methods.size(), 11U);
    for (std::size_t m = 0; m < state.methods.size(); ++m) {
        const std::string& kernel = state.methods[m].method.kernel;
        EXPECT_EQ(state.methods[m].method.path, kernel == "zeros_sm" ? "pairwise" : "state") << kernel;
        EXPECT_EQ(pairwise.methods[m].method.path, "pairwise");
        // Carried sums against sums of a row, in double.
        EXPECT_NEAR(state.methods[m].before.error.relMse, pairwise.methods[m].before.error.relMse, 1e-10) << kernel;
        EXPECT_NEAR(state.methods[m].after->error.relMse, pairwise.methods[m].after->error.relMse, 1e-10) << kernel;
        EXPECT_TRUE(std::isnan(state.methods[m].before.rowError)) << "all rows: nothing was sampled";
    }
}

TEST(Fidelity, ReferenceLinesStandBesideEveryKernel) {
    MemorySource source({});
    FidelityParams params;
    params.kernels = {"taylor"};
    const FidelityResult result = fidelityOf(params, source);
    ASSERT_EQ(result.methods.size(), 4U);
    const MethodFidelity& zero = methodOf(result, "zero");
    EXPECT_EQ(zero.before.error.relMse, 1.0);
    EXPECT_EQ(zero.after->error.relMse, 1.0);
    EXPECT_FALSE(zero.worseThanZero.has_value());
    EXPECT_EQ(zero.weights.undefinedShare, 1.0);
    EXPECT_TRUE(std::isnan(zero.weights.divergence));
    for (const HeadFidelity& head : result.heads)
        if (head.method.kernel == "zero") {
            EXPECT_TRUE(std::isnan(head.cosine));
            EXPECT_EQ(head.relMseScaled, 1.0);
        }
    const MethodFidelity& taylor = methodOf(result, "taylor");
    EXPECT_EQ(taylor.worseThanZero, taylor.before.error.relMse >= 1.0);
    EXPECT_LE(taylor.before.headQuartile1, taylor.before.headMedian);
    EXPECT_LE(taylor.before.headMedian, taylor.before.headQuartile3);
    EXPECT_EQ(fidelityTable(result).rows(), 4U);
    EXPECT_EQ(fidelityLayerTable(result).rows(), 8U);
    EXPECT_EQ(fidelityHeadTable(result).rows(), 32U);
}

// Weights by hand: p = (1/2, 1/4, 1/4) against (1/4, 1/2, 1/4), then against one with a zero, then a tie at the top.
TEST(Fidelity, AgreementOfWeightRows) {
    RowsOutput exact, kernel;
    exact.weights = kernels::Matrix<float>(4, 3, {.5F, .25F, .25F, .5F, .25F, .25F, .5F, .25F, .25F, .5F, .5F, 0.F});
    kernel.weights = kernels::Matrix<float>(4, 3, {.25F, .5F, .25F, .75F, .25F, 0.F, .5F, .5F, 0.F, 9.F, 9.F, 9.F});
    exact.bad = {0, 0, 0, 1};
    kernel.bad = {0, 0, 0, 0};
    const WeightSums sums = weightAgreement(exact, kernel);
    EXPECT_EQ(sums.rows, 3.0);
    EXPECT_EQ(sums.divergenceRows, 1.0);
    EXPECT_NEAR(sums.divergence, 0.25 * std::log(2.0), 1e-15);
    EXPECT_NEAR(sums.variation, 0.25 + 0.25 + 0.25, 1e-15);
    EXPECT_EQ(sums.topAgreement, 1.0);
}

/// A file with tau of one layer and the global factor of both, and one draw of dijiang with weights.
std::shared_ptr<const kernels::ParameterSet> someParameters() {
    auto set = std::make_shared<kernels::ParameterSet>();
    set->name = "kernels.h5";
    set->layers[LayerIndex{3}]["taylorshift"].arrays["tau"] = {{4}, {2.0, 2.5, 3.0, 0.5}};
    std::vector<double> t, theta;
    for (int r = 0; r < 8; ++r) t.push_back(0.3 * r - 1.0);
    for (int r = 0; r < 32; ++r) theta.push_back(0.1 * (r % 8));
    for (const int layer : {3, 7}) {
        auto& groups = set->layers[LayerIndex{layer}];
        groups["global"].arrays["l"] = {{4, 3}, {1, .2, .1, 1, .3, .1, 1, .4, .2, 1, .1, .3}};
        groups["dijiang"].arrays["t"] = {{1, 8}, t};
        groups["dijiang"].arrays["theta"] = {{4, 8}, theta};
    }
    return set;
}

TEST(Fidelity, CalibratedStandsBesideUntrained) {
    MemorySource source({});
    FidelityParams params;
    params.kernels = {"global", "dijiang", "taylorshift", "taylor"};
    const auto parameters = someParameters();
    const FidelityResult result = fidelityOf(params, source, KernelFactory({}, parameters));
    ASSERT_EQ(result.methods.size(), 10U);  // three twice, taylor and three lines once
    EXPECT_TRUE(hasWarning(result.warnings, "overlap")) << "no splits: judged where they may be fitted";
    EXPECT_TRUE(hasWarning(result.warnings, "default-parameters")) << "layer 7 has no tau";
    // Untrained global is taylor but for rounding of its factor.
    EXPECT_NEAR(methodOf(result, "global").before.error.relMse, methodOf(result, "taylor").before.error.relMse, 1e-9);
    EXPECT_NE(methodOf(result, "global", true).before.error.relMse, methodOf(result, "global").before.error.relMse);
    // Untrained dijiang has the draw of the file.
    auto drawn = std::make_shared<kernels::ParameterSet>(*parameters);
    for (const int layer : {3, 7}) drawn->layers[LayerIndex{layer}]["dijiang"].arrays.erase("theta");
    params.kernels = {"dijiang"};
    const FidelityResult own = fidelityOf(params, source, KernelFactory({}, drawn));
    EXPECT_EQ(own.methods.size(), 4U);
    EXPECT_EQ(methodOf(own, "dijiang").before.error.relMse, methodOf(result, "dijiang").before.error.relMse);
    std::size_t layers = 0;
    for (const LayerFidelity& layer : result.layers)
        layers += layer.method.kernel == "taylorshift" && layer.method.calibrated ? 1U : 0U;
    EXPECT_EQ(layers, 1U);
}

TEST(Fidelity, SamplingErrorIsTheSpreadOfSamples) {
    MemorySource source({.prompts = 2, .positions = 60});
    FidelityParams params;
    params.selection.layers = {LayerIndex{3}};
    params.kernels = {"taylor"};
    params.weightRows = 0;
    params.rows = 15;
    std::vector<double> estimates, errors;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        params.seed = seed;
        const FidelityResult result = fidelityOf(params, source);
        estimates.push_back(methodOf(result, "taylor").before.error.relMse);
        errors.push_back(methodOf(result, "taylor").before.rowError);
    }
    // A standard deviation of 60 draws is known to 9 %, the estimate of 30 rows is biased by a few percent more.
    EXPECT_NEAR(meanOf(errors) / standardDeviationOf(estimates), 1.0, 0.35);
    // Nothing is left to draw.
    params.rows = 0;
    params.positions = {allRows(60), allRows(60)};
    EXPECT_EQ(methodOf(fidelityOf(params, source), "taylor").before.rowError, 0.0);
}

TEST(Fidelity, IntervalsNeedEightPrompts) {
    FidelityParams params;
    params.kernels = {"taylor"};
    MemorySource few({.prompts = 7, .positions = 12}), enough({.prompts = 8, .positions = 12});
    EXPECT_FALSE(methodOf(fidelityOf(params, few), "taylor").before.interval.has_value());
    const FidelityResult result = fidelityOf(params, enough);
    const MethodFidelity& taylor = methodOf(result, "taylor");
    ASSERT_TRUE(taylor.before.interval && taylor.after->interval);
    EXPECT_LT(taylor.before.interval->first, taylor.before.error.relMse);
    EXPECT_GT(taylor.before.interval->second, taylor.before.error.relMse);
    EXPECT_EQ(taylor.prompts.size(), 8U);
    EXPECT_NE(sequencesText(taylor, true).find(" to "), std::string::npos);
    const std::string each = sequencesText(methodOf(fidelityOf(params, few), "taylor"), false);
    EXPECT_EQ(std::count(each.begin(), each.end(), ','), 6) << each;
    MemorySource one({.prompts = 1});
    EXPECT_TRUE(std::isnan(methodOf(fidelityOf(params, one), "taylor").before.sequenceError));
}

TEST(Fidelity, AHeadThatIsNotFiniteIsLeftOut) {
    MemorySource source({});
    source.poison(3, 1);
    FidelityParams params;
    params.kernels = {"taylor"};
    const FidelityResult result = fidelityOf(params, source);
    EXPECT_TRUE(hasWarning(result.warnings, "nonfinite"));
    for (const HeadFidelity& head : result.heads) {
        const bool poisoned = head.layer == LayerIndex{3} && head.head == HeadIndex{1};
        EXPECT_EQ(std::isnan(head.before.relMse), poisoned);
        EXPECT_EQ(head.after.has_value(), head.layer == LayerIndex{7});
    }
    EXPECT_FALSE(methodOf(result, "taylor").after.has_value());
    EXPECT_TRUE(std::isfinite(methodOf(result, "taylor").before.error.relMse));
}

TEST(Fidelity, WithoutAnOutputProjectionThereIsNoErrorAfterIt) {
    MemorySource source({.withProjection = false});
    FidelityParams params;
    params.kernels = {"taylor"};
    const FidelityResult result = fidelityOf(params, source);
    EXPECT_TRUE(hasWarning(result.warnings, "no-output-projection"));
    EXPECT_FALSE(methodOf(result, "taylor").after.has_value());
    EXPECT_TRUE(std::isnan(result.layers.front().cross));
    MemorySource whole({});
    params.selection.heads = {HeadIndex{0}, HeadIndex{2}};
    EXPECT_FALSE(methodOf(fidelityOf(params, whole), "taylor").after.has_value());
}

TEST(Fidelity, ThreadsChangeNothingAndCancelStops) {
    MemorySource source({.positions = 130});
    FidelityParams params;
    params.kernels = {"performer", "taylor"};
    params.threads = 1;
    const FidelityResult one = fidelityOf(params, source, KernelFactory(), "cpu", 1);
    params.threads = 3;
    const FidelityResult three = fidelityOf(params, source, KernelFactory(), "cpu", 3);
    for (std::size_t m = 0; m < one.methods.size(); ++m) {
        EXPECT_EQ(one.methods[m].before.error.mse, three.methods[m].before.error.mse);
        EXPECT_EQ(one.methods[m].after->error.mse, three.methods[m].after->error.mse);
    }
    const RunControl cancelled;
    cancelled.cancel();
    EXPECT_THROW(frozenFidelity(params, KernelFactory(), source, *kernels::makeBackend("cpu"), cancelled),
                 kernels::Cancelled);
    params.seeds = {};
    EXPECT_THROW(fidelityOf(params, source), kernels::ArgumentError);
    params.seeds = {0};
    params.kernels = {"softermax"};
    EXPECT_THROW(fidelityOf(params, source), kernels::ArgumentError);
}

}  // namespace
}  // namespace dimscope::tests
