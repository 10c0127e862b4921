// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include "analysis/calibration/calibration.h"
#include "analysis/calibration/feature_rows.h"
#include "analysis/calibration/gate_calibration.h"
#include "analysis/kernel_comparison.h"
#include "kernels/backend_registry.h"
#include "kernels/random_features.h"
#include "kernels/random_stream.h"
#include "tests/support/compare.h"
#include "tests/support/head_cases.h"
#include "tests/support/memory_source.h"

// Kernels of learned maps (SpectraFormer, Hedgehog) and those whose parameters have a closed form (ZeroS, RetNet).

namespace dimscope::tests {
namespace {

using namespace analysis;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using kernels::Hedgehog;
using kernels::KernelSpec;
using kernels::SpectraFormer;

struct MapCase {
    std::string name;
    std::unique_ptr<FeatureMap> map;
    VectorXd theta;
    KernelSpec spec;  ///< with theta
};

MapCase spectraFormerCase(SpectraFormer::Statistic statistic, double scale) {
    const kernels::FastFoodDraw draw = kernels::fastFoodDraw(8, 11, 0);
    SpectraFormer spec;
    spec.b = std::make_shared<const std::vector<double>>(draw.b);
    // Larger than drawn, so that the maximum over features is not always the constant one.
    std::vector<double> g = draw.g;
    for (double& x : g) x *= 3.0;
    spec.g = std::make_shared<const std::vector<double>>(g);
    spec.s = std::make_shared<const std::vector<double>>(draw.s);
    spec.permutation = std::make_shared<const std::vector<int>>(draw.permutation);
    spec.statistic = statistic;
    spec.phi = 1.5;
    return {"spectraformer", spectraFormerMap(spec, scale), spectraFormerParameters(spec), spec};
}

MapCase hedgehogCase(Hedgehog::Variant variant) {
    Hedgehog spec;
    spec.variant = variant;
    VectorXd theta = hedgehogParameters(spec, 8);
    kernels::RandomStream random(5, kernels::RandomPurpose::CalibrationStarts);
    for (double& x : theta) x += 0.3 * random.normal();
    return {"hedgehog", hedgehogMap(spec, 8), theta, withParameters(spec, theta, 8)};
}

std::vector<MapCase> mapCases(double scale) {
    std::vector<MapCase> cases;
    cases.push_back(spectraFormerCase(SpectraFormer::Statistic::Position, scale));
    cases.push_back(spectraFormerCase(SpectraFormer::Statistic::Sequence, scale));
    cases.push_back(spectraFormerCase(SpectraFormer::Statistic::Calibrated, scale));
    cases.push_back(hedgehogCase(Hedgehog::Variant::Lolcats));
    cases.push_back(hedgehogCase(Hedgehog::Variant::Fla));
    return cases;
}

OwnedHead maskedHead() {
    OwnedHead head = randomHead(70, 8, 5, 3);  // more rows than one block of them
    head.window = 40;
    head.softcap = 4.0;
    head.sink = 0.3;
    head.valid = std::vector<std::uint8_t>(70, 1);
    head.valid[0] = head.valid[6] = 0;
    return head;
}

TEST(FeatureCalibration, ErrorsOfRowsAreThoseOfTheKernel) {
    const OwnedHead head = maskedHead();
    const PromptTensors prompt(head.inputs());
    const auto backend = kernels::makeBackend("reference");
    const std::vector<Index> rows = allRows(70);
    for (const MapCase& entry : mapCases(head.scale)) {
        const std::vector<KernelSpec> specs{kernels::Softmax{}, entry.spec};
        const kernels::RowsJob job{head.inputs(), rows, specs, false};
        const auto outputs = backend->attendRows({&job, 1}, {}).front();
        double sum = 0.0;
        for (Index i = 0; i < 70; ++i)
            for (Index c = 0; head.valid[static_cast<std::size_t>(i)] != 0 && c < 5; ++c)
                sum += std::pow(outputs[1].values(i, c) - outputs[0].values(i, c), 2);
        const FeatureRows prepared = featureRows(*entry.map, prompt, rows, {});
        EXPECT_EQ(prepared.rows.size(), 68U);
        EXPECT_NEAR(squaredError(*entry.map, entry.map->maps(entry.theta), prepared), sum, 1e-11 * sum) << entry.name;
    }
}

TEST(FeatureCalibration, SlopesAreThoseOfCentralDifferences) {
    const OwnedHead head = maskedHead();
    const PromptTensors prompt(head.inputs());
    for (const MapCase& entry : mapCases(head.scale)) {
        const FeatureRows rows = featureRows(*entry.map, prompt, allRows(70), {});
        std::vector<std::size_t> all;
        for (std::size_t n = 0; n < rows.rows.size(); ++n) all.push_back(n);
        const FeatureMap::Maps maps = entry.map->maps(entry.theta);
        FeatureMap::Maps slopes{MatrixXd::Zero(8, 8), MatrixXd::Zero(8, 8)};
        addSlopes(*entry.map, maps, rows, all, slopes);
        const VectorXd gradient = entry.map->slopes(entry.theta, slopes);
        ASSERT_EQ(gradient.size(), entry.map->parameters());
        EXPECT_GT(gradient.norm(), 0.0);
        for (Index p = 0; p < entry.theta.size(); ++p) {
            VectorXd up = entry.theta, down = entry.theta;
            constexpr double kStep = 1e-5;  // truncation 1e-10, rounding 1e-15 / 1e-5
            up[p] += kStep;
            down[p] -= kStep;
            const double slope = (squaredError(*entry.map, entry.map->maps(up), rows) -
                                  squaredError(*entry.map, entry.map->maps(down), rows)) /
                                 (2.0 * kStep);
            EXPECT_NEAR(gradient[p], slope, 1e-7 * gradient.norm()) << entry.name << " " << p;
        }
    }
}

TEST(GateCalibration, TheKnownGatesOfThreeRows) {
    const OwnedHead head = handHead2();
    const std::vector<KernelSpec> specs{kernels::Softmax{}, kernels::ZerosSm{1.0, 0.0, 0.0},
                                        kernels::ZerosSm{0.0, 1.0, 0.0}};
    const std::vector<Index> rows = allRows(3);
    const kernels::RowsJob job{head.inputs(), rows, specs, false};
    const auto outputs = kernels::makeBackend("reference")->attendRows({&job, 1}, {}).front();
    MatrixXd basis(6, 2);
    VectorXd exact(6);
    for (Index i = 0; i < 3; ++i)
        for (Index c = 0; c < 2; ++c) {
            exact[2 * i + c] = outputs[0].values(i, c);
            for (Index g = 0; g < 2; ++g) basis(2 * i + c, g) = outputs[static_cast<std::size_t>(g + 1)].values(i, c);
        }
    const VectorXd free = leastSquares(basis, exact);
    EXPECT_NEAR(free[0], 3.647, 5e-4);  // as many digits as are known
    EXPECT_NEAR(free[1], 6.864, 5e-4);
    const Eigen::Vector2d boxed = leastSquaresInBox(basis, exact);
    const double least = (basis * boxed - exact).squaredNorm();
    for (int a = 0; a <= 20; ++a)
        for (int b = 0; b <= 20; ++b)
            EXPECT_LE(least, (basis * Eigen::Vector2d(a / 20.0, b / 20.0) - exact).squaredNorm() + 1e-15);
}

TEST(GateCalibration, AnEdgeOfTheBoxIsFound) {
    // Least at (0.25, -1) without the box: on its edge g2 = 0 the least is at g1 = 0.25 - 0.5 = -0.25, so at 0.
    MatrixXd basis(2, 2);
    basis << 1.0, 0.5, 0.0, 1.0;
    const VectorXd exact = basis * Eigen::Vector2d(0.25, -1.0);
    EXPECT_EQ(leastSquaresInBox(basis, exact), Eigen::Vector2d(0.0, 0.0));
    EXPECT_LE((leastSquaresInBox(basis, basis * Eigen::Vector2d(0.25, 0.75)) - Eigen::Vector2d(0.25, 0.75)).norm(),
              1e-14);
    EXPECT_LE((leastSquaresInBox(basis, basis * Eigen::Vector2d(0.5, 2.0)) - Eigen::Vector2d(1.0, 1.0)).norm(), 1e-14);
}

CalibrationParams otherFits(std::vector<std::string> kernels) {
    CalibrationParams params;
    params.selection.layers = {LayerIndex{3}};
    params.selection.heads = {HeadIndex{0}, HeadIndex{3}};
    params.kernels = std::move(kernels);
    params.method = FitMethod::Adam;
    params.train = {PromptIndex{0}, PromptIndex{1}};
    params.validation = {PromptIndex{2}};
    params.rows = 0;
    return params;
}

TEST(FeatureCalibration, ComparisonOfTheFittedKernelsHasTheErrorsOfTheFit) {
    MemorySource source({.positions = 24});
    const CalibrationParams params = otherFits({"hedgehog", "zeros_sm", "spectraformer", "linear_zeros", "retnet"});
    const KernelFactory factory;
    const CalibrationResult result = calibrateKernels(params, factory, source, {});
    ASSERT_EQ(result.fits.size(), 10U);
    for (std::size_t n = 0; n < 10; ++n) EXPECT_EQ(result.fits[n].kernel, params.kernels[n % 5]);
    const auto set = std::make_shared<kernels::ParameterSet>(calibratedParameters(result, factory, source.info()));
    ComparisonParams compared;
    compared.selection = params.selection;
    compared.selection.prompts = params.validation;
    compared.kernels = params.kernels;
    compared.rows = 0;
    const auto backend = kernels::makeBackend("reference");
    const ComparisonResult errors = compareKernels(compared, KernelFactory({}, set), source, *backend, {});
    for (const KernelFit& fit : result.fits) {
        EXPECT_NEAR(errors.find(fit.layer, fit.head, fit.kernel)->mse, fit.validationMse, 1e-9 * fit.validationMse)
            << fit.kernel;
        if (fit.kernel == "spectraformer") continue;  // the mean over the heads is what it lowers
        EXPECT_LE(fit.validationMse, fit.startMse) << fit.kernel;
    }
}

TEST(FeatureCalibration, HeadsOfALayerShareOneSpectraFormer) {
    MemorySource source({.positions = 24});
    const CalibrationResult result = calibrateKernels(otherFits({"spectraformer"}), KernelFactory(), source, {});
    ASSERT_EQ(result.fits.size(), 2U);
    const auto& first = std::get<SpectraFormer>(result.fits[0].spec);
    const auto& second = std::get<SpectraFormer>(result.fits[1].spec);
    EXPECT_EQ(*first.b, *second.b);
    EXPECT_EQ(*first.g, *second.g);
    EXPECT_EQ(*first.s, *second.s);
    // What is chosen by is the mean over the heads.
    EXPECT_LE(result.fits[0].validationMse + result.fits[1].validationMse,
              result.fits[0].startMse + result.fits[1].startMse);
    EXPECT_EQ(result.fits[0].updates, result.fits[1].updates);
    EXPECT_GT(result.fits[0].updates, 0);
}

TEST(FeatureCalibration, SameSeedSameResultOnAnyNumberOfThreads) {
    MemorySource source({.positions = 24});
    CalibrationParams params = otherFits({"spectraformer", "hedgehog", "zeros_sm"});
    params.threads = 1;
    const CalibrationResult one = calibrateKernels(params, KernelFactory(), source, {});
    params.threads = 2;
    const CalibrationResult two = calibrateKernels(params, KernelFactory(), source, {});
    ASSERT_EQ(one.fits.size(), two.fits.size());
    for (std::size_t n = 0; n < one.fits.size(); ++n) {
        EXPECT_EQ(one.fits[n].kernel, two.fits[n].kernel);
        EXPECT_EQ(one.fits[n].validationMse, two.fits[n].validationMse);
        EXPECT_EQ(one.fits[n].trainMse, two.fits[n].trainMse);
    }
}

}  // namespace
}  // namespace dimscope::tests
