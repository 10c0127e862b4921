// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/calibration/calibration.h"

#include <thread>

#include "analysis/calibration/fit_starts.h"
#include "analysis/kernel_comparison.h"
#include "kernels/backend_registry.h"
#include "kernels/error.h"
#include "tests/support/compare.h"
#include "tests/support/head_cases.h"
#include "tests/support/memory_source.h"

namespace dimscope::tests {
namespace {

using namespace analysis;
using Eigen::VectorXd;

struct LinearCase {
    std::string name;
    std::unique_ptr<LinearKernel> kernel;
    VectorXd theta;
};

std::vector<LinearCase> linearCases(Index headDim) {
    std::vector<int> label;
    for (Index r = 0; r < headDim; ++r) label.push_back(static_cast<int>(r % 3));
    std::vector<LinearCase> cases;
    VectorXd factor(10);
    factor << 1.2, .5, .4, .3, -.2, .6, -.1, .2, .3, .25;
    cases.push_back({"oal", quadraticKernel(label, 1e-6), factor});
    cases.push_back({"global", quadraticKernel(std::vector<int>(label.size(), 0), 1e-6), VectorXd(factor.head(3))});
    cases.push_back({"taylorshift", taylorShiftKernel(), VectorXd::Constant(1, 1.7)});
    std::vector<double> t;
    for (Index r = 0; r < headDim; ++r) t.push_back(0.4 * static_cast<double>(r) - 1.1);
    // Largest first and last, so that a difference never moves the gauge.
    cases.push_back({"dijiang", diJiangKernel(t, true), VectorXd::LinSpaced(headDim, 0.5, -0.7)});
    return cases;
}

FitRows allFitRows(const LinearKernel& kernel, const PromptTensors& prompt) {
    return fitRows(kernel, *kernel.features(prompt), prompt, allRows(prompt.key.rows()), {});
}

void expectErrorsOfTheKernel(Index window) {
    OwnedHead head = randomHead(17, 6, 5, 3);
    head.window = window;
    head.softcap = 4.0;
    head.sink = 0.3;
    head.valid = std::vector<std::uint8_t>(17, 1);
    head.valid[0] = head.valid[6] = 0;
    const PromptTensors prompt(head.inputs());
    const auto backend = kernels::makeBackend("reference");
    for (const LinearCase& entry : linearCases(6)) {
        kernels::KernelSpec spec = kernels::TaylorShift{entry.theta[0]};
        if (entry.name == "global")
            spec = kernels::GlobalQuadratic{{entry.theta[0], entry.theta[1], entry.theta[2]}, 1e-6};
        if (entry.name == "oal")
            spec = kernels::Oal{{0, 1, 2, 0, 1, 2}, 3, {entry.theta.begin(), entry.theta.end()}, 1e-6};
        if (entry.name == "dijiang") {
            kernels::DiJiang diJiang;
            std::vector<double> t;
            for (int r = 0; r < 6; ++r) t.push_back(0.4 * r - 1.1);
            diJiang.t = std::make_shared<const std::vector<double>>(t);
            diJiang.theta = std::make_shared<const std::vector<double>>(entry.theta.begin(), entry.theta.end());
            spec = diJiang;
        }
        const std::vector<kernels::KernelSpec> specs{kernels::Softmax{}, spec};
        const std::vector<Index> rows = allRows(17);
        const kernels::RowsJob job{head.inputs(), rows, specs, false};
        const auto outputs = backend->attendRows({&job, 1}, {}).front();
        double sum = 0.0, count = 0.0;
        for (Index i = 0; i < 17; ++i)
            for (Index c = 0; head.valid[static_cast<std::size_t>(i)] != 0 && c < 5; ++c, ++count)
                sum += std::pow(outputs[1].values(i, c) - outputs[0].values(i, c), 2);
        const FitRows prepared = allFitRows(*entry.kernel, prompt);
        EXPECT_EQ(prepared.count(), 15) << entry.name;  // two rows are padding
        // Squares of the outputs in double.
        EXPECT_NEAR(prepared.mse(entry.kernel->coefficients(entry.theta)), sum / count, 1e-12) << entry.name;
    }
}

TEST(Calibration, ErrorsOfPreparedRowsAreThoseOfTheKernel) {
    expectErrorsOfTheKernel(9);
    expectErrorsOfTheKernel(0);  // rows of dijiang share their sums over keys
}

TEST(Calibration, DerivativesAreThoseOfCentralDifferences) {
    const OwnedHead head = randomHead(20, 6, 5, 4);
    const PromptTensors prompt(head.inputs());
    for (const LinearCase& entry : linearCases(6)) {
        const LinearKernel& kernel = *entry.kernel;
        const FitRows rows = allFitRows(kernel, prompt);
        const double half = 0.5 * static_cast<double>(rows.count() * rows.valueDim);
        const auto gradientAt = [&](const VectorXd& theta) -> VectorXd {
            return kernel.derivative(theta).transpose() * rows.normalEquations(kernel.coefficients(theta)).gradient;
        };
        const auto sums = rows.normalEquations(kernel.coefficients(entry.theta));
        const Eigen::MatrixXd chain = kernel.derivative(entry.theta);
        const Eigen::MatrixXd second =
            chain.transpose() * sums.newton * chain + kernel.curvature(entry.theta, sums.gradient);
        const VectorXd gradient = gradientAt(entry.theta);
        EXPECT_LE((half * chain.transpose() * rows.gradient(kernel.coefficients(entry.theta)) - gradient).norm(),
                  1e-12 * gradient.norm());
        for (Index p = 0; p < entry.theta.size(); ++p) {
            if (entry.name == "dijiang" && p == 0) continue;  // its largest weight is the gauge
            VectorXd up = entry.theta, down = entry.theta;
            constexpr double kStep = 1e-5;  // truncation 1e-10, rounding 1e-16 / 1e-5
            up[p] += kStep;
            down[p] -= kStep;
            const double slope =
                half * (rows.mse(kernel.coefficients(up)) - rows.mse(kernel.coefficients(down))) / (2.0 * kStep);
            EXPECT_NEAR(gradient[p], slope, 1e-7 * gradient.norm()) << entry.name << " " << p;
            const VectorXd bend = (gradientAt(up) - gradientAt(down)) / (2.0 * kStep);
            for (Index q = 0; q < bend.size(); ++q)
                EXPECT_NEAR(second(q, p), bend[q], 1e-6 * second.norm()) << entry.name << " " << q << " " << p;
        }
    }
}

TEST(Calibration, TheKnownGradientOfThreeDimensions) {
    const OwnedHead head = handHead3();
    const PromptTensors prompt(head.inputs());
    const auto kernel = quadraticKernel({0, 1, 0}, 1e-6);
    const FitRows rows = allFitRows(*kernel, prompt);
    VectorXd theta(6), expected(6);
    theta << 1.2, .5, .4, .3, -.2, .6;
    expected << 0.00300484019224, -0.00578753675432, 0.000468243283251, -0.00291943157481, -9.28336951022e-05,
        -7.01327756565e-05;
    EXPECT_NEAR(rows.mse(kernel->coefficients(theta)), 0.000796337131595, 1e-14);  // as many digits as are known
    const VectorXd gradient = kernel->derivative(theta).transpose() * rows.gradient(kernel->coefficients(theta));
    EXPECT_LE((gradient - expected).cwiseAbs().maxCoeff(), 1e-13);
    // The trap: at the expanded Taylor start the last entry has no gradient.
    const VectorXd start = expandedToGroups(taylorStart(1e-6), 2);
    EXPECT_EQ((kernel->derivative(start).transpose() * rows.gradient(kernel->coefficients(start)))[5], 0.0);
}

/// Rows whose exact output is replaced by that of the kernel with these parameters: E_m = A_m - a_m y.
FitRows rowsMadeBy(const LinearKernel& kernel, const PromptTensors& prompt, const VectorXd& theta) {
    FitRows rows = allFitRows(kernel, prompt);
    const auto features = kernel.features(prompt);
    const VectorXd c = kernel.coefficients(theta);
    for (Index i = 0; i < rows.count(); ++i) {
        Eigen::MatrixXd phi;
        features->fill(i, 0, i + 1, phi);
        const Eigen::MatrixXd sums = phi.transpose() * prompt.valueAndOne.topRows(i + 1) / static_cast<double>(i + 1);
        const VectorXd output = sums.transpose() * c;
        const Eigen::MatrixXd error =
            sums.leftCols(prompt.valueDim()) -
            sums.col(prompt.valueDim()) * (output.head(prompt.valueDim()) / output[prompt.valueDim()]).transpose();
        rows.setGram(i, error);
    }
    return rows;
}

TEST(Calibration, GaussNewtonRecoversTheKernelThatMadeTheOutputs) {
    const OwnedHead head = randomHead(120, 6, 16, 5);
    const PromptTensors prompt(head.inputs());
    std::atomic<double> total{0.0};
    for (const LinearCase& entry : linearCases(6)) {
        if (entry.name == "dijiang") continue;  // its weights are hardly told apart by 6 features
        const FitRows rows = rowsMadeBy(*entry.kernel, prompt, entry.theta);
        FitProgress progress({}, total, 0.25);
        const VectorXd start = entry.name == "oal"      ? expandedToGroups(taylorStart(1e-6), 3)
                               : entry.name == "global" ? VectorXd(taylorStart(1e-6))
                                                        : VectorXd::Ones(1);
        VectorXd beside = start;
        for (Index p = 0; p < beside.size(); ++p) beside[p] += 0.01 * std::sin(static_cast<double>(p + 1));
        const FitResult fit = fitGaussNewton(*entry.kernel, rows, rows, {{start, beside}},
                                             {1, kernels::RandomPurpose::CalibrationBatches}, progress);
        const double before = rows.mse(entry.kernel->coefficients(start));
        // The least error that prepared rows can tell from none (fit_rows.h).
        EXPECT_LE(fit.validationMse, 1e-12 * before) << entry.name;
        const VectorXd found = entry.kernel->coefficients(fit.theta), made = entry.kernel->coefficients(entry.theta);
        // Up to the gauge; an error of 1e-12 of its square leaves 1e-6 of the parameters, times their condition.
        EXPECT_LE((found / found[0] - made / made[0]).norm(), 1e-4 * (made / made[0]).norm()) << entry.name;
    }
}

CalibrationParams smallFit(FitMethod method) {
    CalibrationParams params;
    params.selection.layers = {LayerIndex{3}};
    params.selection.heads = {HeadIndex{0}, HeadIndex{3}};
    params.kernels = {"taylorshift", "dijiang", "global", "oal"};
    params.method = method;
    params.train = {PromptIndex{0}, PromptIndex{1}};
    params.validation = {PromptIndex{2}};
    return params;
}

KernelFactory groupedFactory() {
    KernelFactory factory;
    for (const int head : {0, 3}) factory.setGroups(LayerIndex{3}, HeadIndex{head}, {0, 0, 1, 0, 2, 0, 0, 1});
    return factory;
}

TEST(Calibration, MoreParametersAreNeverWorseOnValidation) {
    MemorySource source({.positions = 48});
    for (const FitMethod method : {FitMethod::GaussNewton, FitMethod::Adam}) {
        const CalibrationResult result = calibrateKernels(smallFit(method), groupedFactory(), source, {});
        ASSERT_EQ(result.fits.size(), 8U);
        for (const int head : {0, 3}) {
            const KernelFit* global = result.find(LayerIndex{3}, HeadIndex{head}, "global");
            const KernelFit* oal = result.find(LayerIndex{3}, HeadIndex{head}, "oal");
            EXPECT_LE(oal->validationMse, global->validationMse);
            EXPECT_LE(global->validationMse, global->startMse);
            EXPECT_EQ(oal->startMse, global->startMse);
            EXPECT_TRUE(std::isnan(oal->evaluationMse));
        }
    }
}

TEST(Calibration, ComparisonOfTheFittedKernelsHasTheErrorsOfTheFit) {
    MemorySource source({.positions = 48});
    CalibrationParams params = smallFit(FitMethod::GaussNewton);
    params.rows = 0;
    const KernelFactory factory = groupedFactory();
    const CalibrationResult result = calibrateKernels(params, factory, source, {});
    const auto set = std::make_shared<kernels::ParameterSet>(calibratedParameters(result, factory, source.info()));
    ComparisonParams compared;
    compared.selection = params.selection;
    compared.selection.prompts = params.validation;
    compared.kernels = params.kernels;
    compared.rows = 0;
    const auto backend = kernels::makeBackend("reference");
    const ComparisonResult errors = compareKernels(compared, KernelFactory({}, set), source, *backend, {});
    for (const KernelFit& fit : result.fits)
        EXPECT_NEAR(errors.find(fit.layer, fit.head, fit.kernel)->mse, fit.validationMse, 1e-9 * fit.validationMse)
            << fit.kernel;
}

TEST(Calibration, SameSeedSameResultOnAnyNumberOfThreads) {
    MemorySource source({.positions = 48});
    for (const FitMethod method : {FitMethod::GaussNewton, FitMethod::Adam}) {
        CalibrationParams params = smallFit(method);
        params.threads = 1;
        const CalibrationResult one = calibrateKernels(params, groupedFactory(), source, {});
        params.threads = 2;
        const CalibrationResult two = calibrateKernels(params, groupedFactory(), source, {});
        ASSERT_EQ(one.fits.size(), two.fits.size());
        for (std::size_t n = 0; n < one.fits.size(); ++n) {
            EXPECT_EQ(one.fits[n].kernel, two.fits[n].kernel);
            EXPECT_EQ(one.fits[n].validationMse, two.fits[n].validationMse);
            EXPECT_EQ(one.fits[n].trainMse, two.fits[n].trainMse);
            EXPECT_EQ(one.fits[n].updates, two.fits[n].updates);
        }
    }
}

TEST(Calibration, ACancelledRunKeepsTheBestSoFar) {
    MemorySource source({.positions = 200});
    CalibrationParams params = smallFit(FitMethod::Adam);
    params.selection.heads = {HeadIndex{0}};
    params.kernels = {"global"};
    const CalibrationResult whole = calibrateKernels(params, groupedFactory(), source, {});
    const RunControl control;
    std::thread stopper([&] {
        while (control.progress() < 0.4F) std::this_thread::yield();
        control.cancel();
    });
    const CalibrationResult part = calibrateKernels(params, groupedFactory(), source, control);
    stopper.join();
    EXPECT_TRUE(part.cancelled);
    ASSERT_EQ(part.fits.size(), 1U);
    EXPECT_TRUE(part.fits[0].cancelled);
    EXPECT_LT(part.fits[0].updates, whole.fits[0].updates);
    EXPECT_LE(part.fits[0].validationMse, part.fits[0].startMse);
    EXPECT_GE(part.fits[0].validationMse, whole.fits[0].validationMse);

    const RunControl before;
    before.cancel();
    EXPECT_TRUE(calibrateKernels(params, groupedFactory(), source, before).fits.empty());
}

TEST(Calibration, PromptsAndRowsAreSplitAsSaid) {
    MemorySource source({.prompts = 4});
    CalibrationParams params;
    choosePrompts(source.info(), params);
    EXPECT_EQ(params.train, (std::vector<PromptIndex>{PromptIndex{0}, PromptIndex{1}, PromptIndex{2}}));
    EXPECT_EQ(params.validation, std::vector<PromptIndex>{PromptIndex{3}});

    source.editInfo().prompts[1].split = "train";
    source.editInfo().prompts[2].split = "validation";
    params = {};
    choosePrompts(source.info(), params);
    EXPECT_EQ(params.train, std::vector<PromptIndex>{PromptIndex{1}});
    EXPECT_EQ(params.validation, std::vector<PromptIndex>{PromptIndex{2}});

    params = smallFit(FitMethod::GaussNewton);
    params.kernels = {"global"};
    params.train = params.validation = {PromptIndex{0}};
    params.evaluation = {PromptIndex{0}};
    EXPECT_THROW(calibrateKernels(params, groupedFactory(), source, {}), kernels::ArgumentError);  // nothing is left
    params.evaluation = {PromptIndex{3}};
    const CalibrationResult result = calibrateKernels(params, groupedFactory(), source, {});
    EXPECT_TRUE(std::isfinite(result.fits[0].evaluationMse));
}

TEST(Calibration, RefusesWhatCannotBe) {
    MemorySource source({});
    CalibrationParams params = smallFit(FitMethod::GaussNewton);
    params.kernels = {"performer"};
    EXPECT_THROW(calibrateKernels(params, groupedFactory(), source, {}), kernels::ArgumentError);
    EXPECT_THROW(fitMethodFrom("newton"), kernels::ArgumentError);
    params.kernels = {"hedgehog"};
    EXPECT_THROW(calibrateKernels(params, groupedFactory(), source, {}), kernels::ArgumentError);  // adam alone
    params.kernels = {"global"};
    source.poison(3, 0);
    const CalibrationResult result = calibrateKernels(params, groupedFactory(), source, {});
    EXPECT_EQ(result.find(LayerIndex{3}, HeadIndex{0}, "global"), nullptr);
    EXPECT_EQ(result.warnings.front().code, "nonfinite");
}

}  // namespace
}  // namespace dimscope::tests
