// SPDX-License-Identifier: GPL-3.0-or-later
// Comparisons with an exact part and with centred keys.
#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/calibration/exact_part_calibration.h"
#include "analysis/gate_fit.h"
#include "analysis/kernel_comparison.h"
#include "kernels/backend_registry.h"
#include "kernels/error.h"
#include "tests/support/compare.h"
#include "tests/support/memory_source.h"

namespace dimscope::tests {
namespace {

using namespace analysis;

ComparisonResult compared(const ComparisonParams& params, MemorySource& source,
                          std::shared_ptr<const kernels::ParameterSet> file = nullptr) {
    return compareKernels(params, KernelFactory({}, std::move(file)), source, *kernels::makeBackend("reference"), {});
}

ComparisonParams withExactPart(std::vector<std::string> kernels, Index first, Index window) {
    ComparisonParams params;
    params.kernels = std::move(kernels);
    params.selection.layers = {LayerIndex{3}};
    params.rows = 6;
    params.evaluation.exactFirst = first;
    params.evaluation.exactWindow = window;
    return params;
}

bool hasWarning(const ComparisonResult& result, const std::string& code) {
    return std::any_of(result.warnings.begin(), result.warnings.end(),
                       [&](const Warning& warning) { return warning.code == code; });
}

std::shared_ptr<kernels::ParameterSet> fileWith(const std::string& kernel, kernels::ParameterGroup group) {
    auto file = std::make_shared<kernels::ParameterSet>();
    file->name = "gates.h5";
    file->layers[LayerIndex{3}][kernel] = std::move(group);
    return file;
}

TEST(GateFit, FindsTheLeastErrorOfAMixture) {
    const std::vector<double> exactKeys{1.0, 0.0}, rest{0.0, 2.0};
    // y = (a u + g b) / (a + g) with a = 2 and g = 0.5.
    const std::vector<double> exact{2.0 / 2.5, 1.0 / 2.5};
    EXPECT_NEAR(fitGate({{exact, exactKeys, rest, 2.0}}), 0.5, 1e-7);
    EXPECT_EQ(fitGate({}), 1.0);
}

TEST(GateFit, StopsAtTheEndsOfItsRange) {
    const std::vector<double> u{1.0}, b{0.0};
    EXPECT_LT(fitGate({{u, u, b, 1.0}}), 1e-8);                                     // the exact keys alone are right
    EXPECT_GT(fitGate({{b, u, b, 1.0}}), 1e8);                                      // the rest alone is
    EXPECT_GT(fitGate({{u, u, b, std::numeric_limits<double>::infinity()}}), 0.0);  // no row has a rest
}

TEST(EvaluatedComparison, StandsBesideItsTwoRests) {
    MemorySource source({});
    const ComparisonResult result = compared(withExactPart({"taylor"}, 1, 4), source);
    EXPECT_EQ(result.kernels, (std::vector<std::string>{"taylor", "zero", "uniform"}));
    EXPECT_EQ(result.find(LayerIndex{3}, HeadIndex{0}, "zero")->gate, 0.0);
    for (const char* kernel : {"taylor", "uniform"}) {
        const KernelError* error = result.find(LayerIndex{3}, HeadIndex{1}, kernel);
        ASSERT_TRUE(error->gate) << kernel;
        EXPECT_GT(*error->gate, 0.0);
        EXPECT_LT(error->relMse, result.find(LayerIndex{3}, HeadIndex{1}, "zero")->relMse) << kernel;
    }
    const auto& parameters = result.provenance.parameters;
    EXPECT_TRUE(std::any_of(parameters.begin(), parameters.end(), [](const auto& p) { return p.first == "gates"; }));
}

TEST(EvaluatedComparison, AWholeExactPromptLeavesNoError) {
    MemorySource source({});
    const ComparisonResult result = compared(withExactPart({"taylor"}, 24, 0), source);
    EXPECT_LT(result.find(LayerIndex{3}, HeadIndex{2}, "taylor")->relMse, 1e-24);
}

// No other gate does better on the rows that it was fitted on.
TEST(EvaluatedComparison, TheGateIsBestWhereItWasFitted) {
    MemorySource source({});
    ComparisonParams params = withExactPart({"taylor"}, 1, 3);
    params.rows = 0;  // all rows are evaluated, so the fit has to take the same
    const ComparisonResult fitted = compared(params, source);
    EXPECT_TRUE(hasWarning(fitted, "overlap"));
    const KernelError* best = fitted.find(LayerIndex{3}, HeadIndex{0}, "taylor");
    for (const double factor : {0.9, 1.1}) {
        kernels::ParameterGroup group;
        group.arrays["gate"] = {{4}, std::vector<double>(4, *best->gate * factor)};
        const ComparisonResult moved = compared(params, source, fileWith("taylor", group));
        const KernelError* other = moved.find(LayerIndex{3}, HeadIndex{0}, "taylor");
        EXPECT_NEAR(*other->gate, *best->gate * factor, 1e-12);
        EXPECT_GT(other->mse, best->mse);
    }
}

TEST(EvaluatedComparison, TheTableHasGatesWhereThereIsAnExactPart) {
    MemorySource source({});
    const ComparisonResult gated = compared(withExactPart({"taylor"}, 1, 3), source);
    const Table table = comparisonTable(gated);
    ASSERT_EQ(table.columns.back().name, "gate");
    ASSERT_EQ(table.columns.back().cells.size(), gated.heads.size());
    EXPECT_EQ(std::get<double>(table.columns.back().cells.front()), gated.heads.front().gate);
    EXPECT_EQ(comparisonTable(compared(withExactPart({"taylor"}, 0, 0), source)).columns.back().name, "bad_rows");
}

TEST(EvaluatedComparison, TakesExactPartAndGateOfAFile) {
    MemorySource source({});
    kernels::ParameterGroup group;
    group.attributes["exact_first"] = 2.0;
    group.attributes["exact_window"] = 5.0;
    group.arrays["gate"] = {{4}, {0.25, 0.5, 0.75, 1.0}};
    const auto file = fileWith("taylor", group);
    ComparisonParams params = withExactPart({"taylor", "elu"}, 0, 0);
    const ComparisonResult fromFile = compared(params, source, file);
    EXPECT_EQ(fromFile.find(LayerIndex{3}, HeadIndex{2}, "taylor")->gate, 0.75);
    EXPECT_FALSE(fromFile.find(LayerIndex{3}, HeadIndex{2}, "elu")->gate) << "the part is that of taylor";
    params.evaluation.exactFirst = 1;  // another part: the gate is not its own
    const ComparisonResult other = compared(params, source, file);
    EXPECT_TRUE(hasWarning(other, "gate"));
    EXPECT_NE(other.find(LayerIndex{3}, HeadIndex{2}, "taylor")->gate, 0.75);
}

TEST(EvaluatedComparison, RefusesGatesOfAnotherShape) {
    MemorySource source({});
    kernels::ParameterGroup group;
    group.arrays["gate"] = {{3}, {1.0, 1.0, 1.0}};
    EXPECT_THROW(compared(withExactPart({"taylor"}, 1, 0), source, fileWith("taylor", group)), kernels::ShapeError);
    group.arrays["gate"] = {{4}, {1.0, 1.0, -1.0, 1.0}};
    EXPECT_THROW(compared(withExactPart({"taylor"}, 1, 0), source, fileWith("taylor", group)), kernels::ShapeError);
}

TEST(EvaluatedComparison, CentredKeysChangeKernelsAndNotExactAttention) {
    MemorySource source({});
    ComparisonParams params = withExactPart({"softmax", "taylor", "uniform"}, 0, 0);
    params.keepOutputs = true;
    const ComparisonResult plain = compared(params, source);
    params.evaluation.centreKeys = true;
    const ComparisonResult centred = compared(params, source);
    EXPECT_EQ(centred.outputs[0].values, plain.outputs[0].values);
    EXPECT_EQ(centred.find(LayerIndex{3}, HeadIndex{0}, "softmax")->mse, 0.0);
    EXPECT_NE(centred.find(LayerIndex{3}, HeadIndex{0}, "taylor")->mse,
              plain.find(LayerIndex{3}, HeadIndex{0}, "taylor")->mse);
    EXPECT_EQ(centred.find(LayerIndex{3}, HeadIndex{0}, "uniform")->mse,
              plain.find(LayerIndex{3}, HeadIndex{0}, "uniform")->mse);
}

// A file's mean of zero leaves the keys alone; one of another shape is refused.
TEST(EvaluatedComparison, TakesTheKeyMeanOfAFile) {
    MemorySource source({});
    const ComparisonParams params = withExactPart({"taylor"}, 0, 0);
    kernels::ParameterGroup own;
    own.arrays["key_mean"] = {{2, 8}, std::vector<double>(16, 0.0)};
    EXPECT_EQ(compared(params, source, fileWith("", own)).find(LayerIndex{3}, HeadIndex{0}, "taylor")->mse,
              compared(params, source).find(LayerIndex{3}, HeadIndex{0}, "taylor")->mse);
    own.arrays["key_mean"] = {{4, 8}, std::vector<double>(32, 0.0)};
    EXPECT_THROW(compared(params, source, fileWith("", own)), kernels::ShapeError);
}

// The gates of a calibration come back from its parameters, and no other gate has a smaller training error.
TEST(EvaluatedComparison, TakesTheGatesOfACalibration) {
    MemorySource source({});
    CalibrationParams fits;
    fits.selection.layers = {LayerIndex{3}};
    fits.kernels = {"taylorshift"};
    fits.train = {PromptIndex{0}, PromptIndex{1}};
    fits.validation = {PromptIndex{2}};
    fits.exactPart = {1, 3, 1.0};
    const KernelFactory start;
    CalibrationResult result = calibrateKernels(fits, start, source, {});
    const auto backend = kernels::makeBackend("reference");
    fitExactPart(result, source, *backend, {});
    ASSERT_EQ(result.fits.size(), 4U);
    for (const KernelFit& fit : result.fits) {
        ASSERT_TRUE(fit.gate);
        EXPECT_GT(fit.gateValidationMse, 0.0);
    }
    const auto file = std::make_shared<kernels::ParameterSet>(calibratedParameters(result, start, source.info()));
    ComparisonParams params = withExactPart({"taylorshift"}, 0, 0);
    params.selection.prompts = {PromptIndex{2}};
    params.rows = 0;
    const ComparisonResult compared = compareKernels(params, KernelFactory({}, file), source, *backend, {});
    for (const KernelFit& fit : result.fits) {
        const KernelError* error = compared.find(fit.layer, fit.head, "taylorshift");
        EXPECT_EQ(error->gate, fit.gate);
        EXPECT_NEAR(error->mse, fit.gateValidationMse, 1e-12 * error->mse);
    }
}

TEST(EvaluatedComparison, ACancelledCalibrationKeepsFitsWithoutAGate) {
    MemorySource source({});
    CalibrationParams fits;
    fits.selection.layers = {LayerIndex{3}};
    fits.kernels = {"taylorshift"};
    fits.exactPart = {1, 0, 1.0};
    CalibrationResult result = calibrateKernels(fits, KernelFactory{}, source, {});
    RunControl cancelled;
    cancelled.cancel();
    fitExactPart(result, source, *kernels::makeBackend("cpu"), cancelled);
    EXPECT_TRUE(result.cancelled);
    EXPECT_EQ(result.fits.size(), 4U);
    EXPECT_FALSE(result.fits.front().gate);
}

}  // namespace
}  // namespace dimscope::tests
