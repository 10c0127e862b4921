// SPDX-License-Identifier: GPL-3.0-or-later
// Worked by hand or computed in 12 digits outside this program; the numbers are those of resources/docs/kernels.md.
#include <cmath>

#include "kernels/backend_registry.h"
#include "kernels/random_features.h"
#include "kernels/reference/pairwise.h"
#include "tests/support/compare.h"
#include "tests/support/head_cases.h"

namespace dimscope::tests {
namespace {

using namespace kernels;
using Rows = std::vector<double>;

/// All three rows, two values each.
Rows output(const KernelSpec& spec, const OwnedHead& head) {
    const auto backend = makeBackend("reference");
    const std::vector<Index> rows = allRows(3);
    const std::vector<KernelSpec> specs{spec};
    const std::vector<RowsJob> jobs{{head.inputs(), rows, specs}};
    return backend->attendRows(jobs, {}).front().front().values.values();
}

/// Rows 2 and 3 of a normalised kernel; row 1 is always the first value and is checked here too.
Rows lastTwoRows(const KernelSpec& spec, const OwnedHead& head) {
    const Rows out = output(spec, head);
    EXPECT_TRUE(near(Rows{out[0], out[1]}, Rows{1.0, 0.5}, 1e-11));
    return {out.begin() + 2, out.end()};
}

Rows lastRow(const Rows& rows) { return {rows.end() - 2, rows.end()}; }

// The expected values have 12 digits.
constexpr double kDigits = 5e-12;

TEST(KnownAnswers, Softmax) {
    EXPECT_TRUE(near(lastTwoRows(Softmax{}, handHead2()),
                     Rows{0.602811364908, 0.698594317546, 0.158274602314, 0.774613712904}, kDigits));
    EXPECT_TRUE(near(lastTwoRows(Softmax{}, handHead3()),
                     Rows{0.628406969304, 0.685796515348, 0.104844650751, 0.773005250984}, kDigits));
}

Performer handPerformer() {
    Performer spec;
    spec.projection = std::make_shared<Matrix<double>>(
        3, 2, Rows{1.24193743586, 0.38417626866, -0.206864144663, 0.668735542388, 0.907192242851, 1.78241472012});
    return spec;
}

TEST(KnownAnswers, PerformerInTheLogDomain) {
    EXPECT_TRUE(near(lastTwoRows(handPerformer(), handHead2()),
                     Rows{0.571314699804, 0.714342650098, 0.23481406794, 0.645291470493}, kDigits));
}

TEST(KnownAnswers, PerformerWithUpstreamEpsilon) {
    Performer spec = handPerformer();
    spec.epsilon = 1e-6;
    EXPECT_TRUE(near(lastRow(lastTwoRows(spec, handHead2())), Rows{0.234813307013, 0.645291223699}, kDigits));
    spec.epsilon = 1e-4;
    EXPECT_TRUE(near(lastRow(lastTwoRows(spec, handHead2())), Rows{0.234737997739, 0.645266799158}, kDigits));
}

SpectraFormer handSpectraFormer() {
    SpectraFormer spec;
    spec.b = std::make_shared<Rows>(Rows{1, -1});
    spec.g = std::make_shared<Rows>(Rows{.8, -.5});
    spec.s = std::make_shared<Rows>(Rows{1.16599766801, 2.01399597201});
    spec.permutation = std::make_shared<std::vector<int>>(std::vector<int>{1, 0});
    return spec;
}

TEST(KnownAnswers, SpectraFormerPerPosition) {
    EXPECT_TRUE(near(lastTwoRows(handSpectraFormer(), handHead2()),
                     Rows{0.571914069047, 0.714042965476, 0.00974664856138, 0.594231560179}, 2e-11));
}

TEST(KnownAnswers, SpectraFormerPerSequence) {
    SpectraFormer spec = handSpectraFormer();
    spec.statistic = SpectraFormer::Statistic::Sequence;
    EXPECT_TRUE(near(lastTwoRows(spec, handHead2()),
                     Rows{0.556711950551, 0.721644024724, 0.0243179588082, 0.604117747615}, 2e-11));
}

/// A draw of the unbiased estimator with a given constant.
SpectraFormerUnbiased drawnEstimator(double phi, std::uint64_t seed) {
    FastFoodDraw draw = fastFoodDraw(2, seed, 0);
    SpectraFormerUnbiased spec;
    spec.b = std::make_shared<Rows>(std::move(draw.b));
    spec.g = std::make_shared<Rows>(std::move(draw.g));
    spec.s = std::make_shared<Rows>(std::move(draw.s));
    spec.permutation = std::make_shared<std::vector<int>>(std::move(draw.permutation));
    spec.statistic = SpectraFormerUnbiased::Statistic::Calibrated;
    spec.phi = phi;
    return spec;
}

TEST(KnownAnswers, SpectraFormerUnbiasedEstimatesTheExponential) {
    const OwnedHead hand = handHead2();
    const reference::DoubleHead head(hand.inputs());
    constexpr int kSeeds = 20000;
    for (const double phi : {0.0, 1.5, 6.0}) {
        double sum = 0.0, squares = 0.0;
        for (int seed = 0; seed < kSeeds; ++seed) {
            const auto pairs = reference::makePairwise(drawnEstimator(phi, static_cast<std::uint64_t>(seed)), head);
            const double kappa = std::exp(dynamic_cast<const reference::PositiveKernel&>(*pairs).logKappa(0, 1));
            sum += kappa / kSeeds;
            squares += kappa * kappa / kSeeds;
        }
        const double standardError = std::sqrt((squares - sum * sum) / kSeeds);
        EXPECT_NEAR(sum, 0.371595458, 4.0 * standardError) << phi;  // exp(scale q_1.k_2)
        EXPECT_LT(standardError, 0.003);  // four of them are 3 % of the value: a bias would show
    }
}

TEST(KnownAnswers, ZerosWithGates) {
    const Rows softmax = output(ZerosSm{0.7, 0.4}, handHead2());
    EXPECT_TRUE(near(softmax, Rows{0, 0, 0.0724140210306, -0.0362070105153, 0.148869761449, 0.138030441792}, kDigits));
    const Rows linear = output(LinearZeros{0.7, 0.4}, handHead2());
    EXPECT_TRUE(near(linear, Rows{0, 0, 0.0446526034074, 0.0357733121532, 0.0463190951488, -0.0658723673658}, 2e-11));
}

TEST(KnownAnswers, BasisOutputsOfLinearZeros) {
    const auto last = [](double sigma1, double sigmah, double sigma0) {
        return lastRow(output(LinearZeros{sigma1, sigmah, sigma0}, handHead2()));
    };
    EXPECT_TRUE(near(last(0, 0, 1), Rows{0.439917664001, 0.310015489797}, kDigits));
    EXPECT_TRUE(near(last(1, 0, 0), Rows{0.0682456193041, -0.0976568396249}, kDigits));
    EXPECT_TRUE(near(last(0, 1, 0), Rows{-0.00363209591008, 0.00621855092908}, 2e-11));
}

TEST(KnownAnswers, DiJiang) {
    DiJiang spec;
    spec.t = std::make_shared<Rows>(Rows{-0.841621233573, 1.28155156554});
    EXPECT_TRUE(near(lastTwoRows(spec, handHead2()),
                     Rows{0.582408468873, 0.708795765563, 0.0828932141496, 0.650246911706}, kDigits));
    spec.theta = std::make_shared<Rows>(Rows{.3, -.2});
    EXPECT_TRUE(near(lastTwoRows(spec, handHead2()),
                     Rows{0.512933518732, 0.743533240634, 0.13190617749, 0.689811462283}, kDigits));
}

TEST(KnownAnswers, TaylorShift) {
    EXPECT_TRUE(near(lastTwoRows(TaylorShift{1.0}, handHead2()),
                     Rows{0.702060381106, 0.648969809447, 0.215373354979, 0.749916379676}, kDigits));
    EXPECT_TRUE(near(lastTwoRows(TaylorShift{2.5}, handHead2()),
                     Rows{0.871388650841, 0.56430567458, 0.0957859864799, 0.779145492392}, kDigits));
}

TEST(KnownAnswers, TaylorAndItsEmbeddings) {
    const Rows expected{0.60209984986, 0.69895007507, 0.149095856589, 0.758255406264};
    EXPECT_TRUE(near(lastTwoRows(Taylor{}, handHead2()), expected, kDigits));
    EXPECT_TRUE(near(lastTwoRows(GlobalQuadratic{{1.0, .5, .5}, 0.0}, handHead2()), expected, kDigits));
    // Epsilon included exactly: (0.948683298051, 0.527046276695, 0.471404520791) at 0.1.
    EXPECT_TRUE(near(lastTwoRows(GlobalQuadratic{{0.948683298051, 0.527046276695, 0.471404520791}, 0.1}, handHead2()),
                     expected, 2e-11));
    EXPECT_TRUE(near(lastTwoRows(Oal{{0, 1}, 2, {1, .5, .5, .5, .5, 0}, 0.0}, handHead2()), expected, kDigits));
}

TEST(KnownAnswers, OalWithTwoGroups) {
    const Oal spec{{0, 1, 0}, 2, {1.2, .5, .4, .3, -.2, .6}, 1e-6};
    EXPECT_TRUE(near(lastTwoRows(spec, handHead3()),
                     Rows{0.607863415456, 0.696068292272, 0.0857025914789, 0.710683045065}, kDigits));
}

TEST(KnownAnswers, FeatureMapsBeyondThePapers) {
    EXPECT_TRUE(near(lastTwoRows(Elu{}, handHead2()),
                     Rows{0.524378422954, 0.737810788523, 0.117413098305, 0.664873784005}, kDigits));
    EXPECT_TRUE(near(lastTwoRows(CosFormer{4.0}, handHead2()),
                     Rows{0.472541341711, 0.763729329145, 0.217720338781, 0.891139830609}, kDigits));
    const Rfa rfa{std::make_shared<Matrix<double>>(2, 2, Rows{1.2, -.4, .3, .9})};
    EXPECT_TRUE(near(lastTwoRows(rfa, handHead2()), Rows{0.719267494699, 0.64036625265, 0.333520596355, 0.793610755927},
                     kDigits));
    EXPECT_TRUE(near(lastTwoRows(Hedgehog{}, handHead2()),
                     Rows{0.557361950125, 0.721319024937, 0.143397743917, 0.681322761441}, kDigits));
    EXPECT_TRUE(near(lastTwoRows(Hedgehog{nullptr, nullptr, Hedgehog::Variant::Fla}, handHead2()),
                     Rows{0.679460423968, 0.660269788016, 0.306422973223, 0.770542285657}, kDigits));
}

TEST(KnownAnswers, PolynomialsBeyondThePapers) {
    EXPECT_TRUE(near(lastTwoRows(Based{}, handHead2()),
                     Rows{0.60209984986, 0.69895007507, 0.149095856589, 0.758255406264}, kDigits));
    EXPECT_TRUE(near(lastTwoRows(ReBased{}, handHead3()),
                     Rows{0.541553982809, 0.729223008596, -0.476517616051, 0.633082833029}, kDigits));
    EXPECT_TRUE(near(lastTwoRows(Power{2}, handHead2()),
                     Rows{0.584141471763, 0.707929264119, -0.369525383538, 0.708304889879}, kDigits));
    EXPECT_TRUE(near(lastTwoRows(Power{4}, handHead2()),
                     Rows{0.66364855568, 0.66817572216, -0.282338802143, 0.787916419986}, kDigits));
    const PolySketch sketch{std::make_shared<Matrix<double>>(2, 2, Rows{.6, -.9, .4, 1.2}),
                            std::make_shared<Matrix<double>>(2, 2, Rows{-.3, .8, 1.1, .5})};
    EXPECT_TRUE(near(lastRow(output(sketch, handHead2())), Rows{-0.00237274779589, 0.000792150370925}, kDigits));
}

TEST(KnownAnswers, KernelsWithPositions) {
    EXPECT_TRUE(near(lastTwoRows(Lolcats{1, 0.1}, handHead2()),
                     Rows{0.906233074254, 0.546883462873, 0.370183179258, 0.766872799253}, kDigits));
    const Rows raw = output(RetNet{1.0 - 1.0 / 32.0}, handHead2());
    EXPECT_TRUE(near(Rows(raw.begin() + 2, raw.end()),
                     Rows{0.219203102168, -0.0813172798365, 0.847768550061, 0.768156889121}, kDigits));
}

TEST(KnownAnswers, ContributionOfTheHandHead) {
    const auto backend = makeBackend("reference");
    const OwnedHead head = handHead2();
    const std::vector<ProfileJob> jobs{{head.inputs()}};
    EXPECT_TRUE(near(backend->profile(jobs, {}).front().chi, Rows{0.246308862113, 0.288735268985}, kDigits));
}

}  // namespace
}  // namespace dimscope::tests
