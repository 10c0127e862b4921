// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/budget/budget.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include "analysis/budget/ungrouped_fit.h"
#include "analysis/calibration/calibration.h"
#include "analysis/calibration/fit_starts.h"
#include "kernels/attention_math.h"
#include "kernels/backend_registry.h"
#include "kernels/error.h"
#include "tests/support/compare.h"
#include "tests/support/head_cases.h"
#include "tests/support/memory_source.h"

namespace dimscope::tests {
namespace {

using namespace analysis;
using Eigen::VectorXd;
using kernels::cpu::WorkerPool;

struct KnownPartition {
    int groups, parameters;
    std::vector<int> cuts, label;
};

struct KnownBudget {
    std::vector<double> chi;
    std::vector<KnownPartition> partitions;
};

// chi of heads of made-up dumps and their cuts as an independent program in Python takes them.
const std::vector<KnownBudget>& knownBudgets() {
    static const std::vector<KnownBudget> kKnown{
        {{0.18776982147286062, 0.3772244455273885, 0.9647460262175255, 0.2815649020302557, 0.2297032032604016,
          0.1988665938052195, 0.7763855144475572, 0.1877481945859701},
         {{2, 6, {5}, {0, 0, 1, 0, 0, 0, 1, 0}},
          {3, 10, {4, 5}, {0, 1, 2, 0, 0, 0, 2, 0}},
          {4, 15, {4, 5, 6}, {0, 1, 3, 0, 0, 0, 2, 0}}}},
        {{0.16630530187867354, 0.24006399528529912, 0.2920784611909372, 0.9842307656427108, 0.2115705769735419,
          0.21442811491689426, 0.2605418527047657, 0.5594564801451583},
         {{2, 6, {5}, {0, 0, 0, 1, 0, 0, 0, 1}},
          {3, 10, {5, 6}, {0, 0, 0, 2, 0, 0, 0, 1}},
          {4, 15, {0, 5, 6}, {0, 1, 1, 3, 1, 1, 1, 2}}}},
        {{0.25353058631913644, 0.16454831584214605, 0.2291927657547577, 1.0738445003892163, 0.2843643889027197,
          0.3493487531996468, 0.14710055309701672, 1.0726800473140683},
         {{2, 6, {5}, {0, 0, 0, 1, 0, 0, 0, 1}},
          {3, 10, {1, 5}, {1, 0, 1, 2, 1, 1, 0, 2}},
          {4, 15, {1, 4, 5}, {1, 0, 1, 3, 1, 2, 0, 3}}}},
        {{0.38460350896386913, 0.7345474788137488, 0.24991796970164346, 1.1558971147771644, 0.23320645310149477,
          0.2637616750621092, 0.5134231354676942, 0.2595633579411107},
         {{2, 6, {6}, {0, 0, 0, 1, 0, 0, 0, 0}},
          {3, 10, {3, 6}, {1, 1, 0, 2, 0, 0, 1, 0}},
          {4, 15, {3, 5, 6}, {1, 2, 0, 3, 0, 0, 1, 0}}}},
        {{0.3275193198191139, 0.3043155072798503, 0.2449665576582757, 1.0571133714677574, 0.3048125150711958,
          0.1722505520849464, 0.16243754983153486, 1.2741765326048646},
         {{2, 6, {5}, {0, 0, 0, 1, 0, 0, 0, 1}},
          {3, 10, {1, 5}, {1, 1, 1, 2, 1, 0, 0, 2}},
          {4, 15, {1, 2, 5}, {2, 2, 1, 3, 2, 0, 0, 3}}}}};
    return kKnown;
}

HeadProfile profileWith(const std::vector<double>& chi) {
    HeadProfile profile;
    profile.layer = LayerIndex{3};
    profile.head = HeadIndex{1};
    profile.chi = profile.chiEffective = profile.qMeanAbs = profile.kMeanAbs = chi;
    return profile;
}

LayerInfo layerOf(Index headDim) {
    LayerInfo layer;
    layer.layer = LayerIndex{3};
    layer.headDim = headDim;
    return layer;
}

HeadGrouping someGrouping(const std::vector<double>& chi) {
    HeadGrouping grouping;
    grouping.chi = chi;
    grouping.order = sortedChi(chi).order;
    grouping.cuts = {static_cast<int>(chi.size()) - 2};
    grouping.groups = {{grouping.order.begin(), grouping.order.end() - 1}, {grouping.order.back()}};
    return grouping;
}

TEST(Budget, KnownCutsAtTheLargestGaps) {
    for (const KnownBudget& known : knownBudgets()) {
        const std::vector<Partition> partitions =
            budgetPartitions({{2, 3, 4}, 2, 1, 0}, layerOf(8), profileWith(known.chi), someGrouping(known.chi));
        for (const KnownPartition& expected : known.partitions) {
            const auto found = std::find_if(partitions.begin(), partitions.end(), [&](const Partition& p) {
                return p.order == "chi" && p.cutRule == "gap" && p.asked == expected.groups;
            });
            ASSERT_NE(found, partitions.end());
            EXPECT_EQ(found->cuts, expected.cuts);
            EXPECT_EQ(found->label, expected.label);
            EXPECT_EQ(found->parameters(), expected.parameters);
            EXPECT_EQ(found->groups(), expected.groups);
        }
    }
}

std::vector<int> sortedSizes(const std::vector<int>& label) {
    std::map<int, int> sizes;
    for (const int g : label) ++sizes[g];
    std::vector<int> out;
    for (const auto& [group, size] : sizes) out.push_back(size);
    return out;  // by group
}

TEST(Budget, RandomPartitionsHaveTheSizesOfTheGaps) {
    const std::vector<double>& chi = knownBudgets()[0].chi;
    const std::vector<Partition> partitions =
        budgetPartitions({{1, 3, 0}, 20, 4, 7}, layerOf(8), profileWith(chi), someGrouping(chi));
    std::vector<int> sizes;
    std::map<std::vector<int>, int> different;
    int random = 0, cuts = 0;
    for (const Partition& p : partitions) {
        if (p.order == "chi" && p.cutRule == "gap") sizes = sortedSizes(p.label);
        if (p.order == "random") {
            EXPECT_EQ(sortedSizes(p.label), sizes);
            EXPECT_EQ(p.draw, random++);
            ++different[p.label];
        }
        if (p.cutRule == "random") {
            EXPECT_EQ(p.cuts.size(), 2U);
            EXPECT_LT(p.cuts[0], p.cuts[1]);
            ++cuts;
        }
    }
    EXPECT_EQ(random, 20);
    EXPECT_EQ(cuts, 4);
    EXPECT_GT(different.size(), 10U) << "168 partitions have these sizes";
    EXPECT_EQ(partitions.front().parameters(), 3);  // the global quadratic
    EXPECT_EQ(partitions.back().groups(), 8);
    EXPECT_EQ(partitions.back().parameters(), 45);
}

TEST(Budget, EqualPartsByFrequencyKeepPartnersTogether) {
    for (const std::string layout : {"half", "interleaved"})
        for (const int groups : {2, 3, 5}) {
            LayerInfo layer = layerOf(12);
            layer.ropeLayout = layout;
            const std::vector<double> chi{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
            for (const Partition& p :
                 budgetPartitions({{groups}, 0, 0, 0}, layer, profileWith(chi), someGrouping(chi))) {
                if (p.order != "rope") continue;
                EXPECT_EQ(p.groups(), groups);
                for (std::size_t r = 0; r < 6; ++r) {
                    const std::size_t a = layout == "half" ? r : 2 * r, b = layout == "half" ? r + 6 : 2 * r + 1;
                    EXPECT_EQ(p.label[a], p.label[b]) << layout << " " << groups << " pair " << r;
                }
                EXPECT_GT(p.label[0], p.label[layout == "half" ? 5 : 11]) << "the slowest first";
            }
        }
    LayerInfo none = layerOf(12);
    none.rope = "none";
    const std::vector<double> chi{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    for (const Partition& p : budgetPartitions({{2}, 0, 0, 0}, none, profileWith(chi), someGrouping(chi)))
        EXPECT_NE(p.order, "rope");
}

kernels::Oal someGrouped(Index headDim) {
    kernels::Oal spec;
    for (Index r = 0; r < headDim; ++r) spec.label.push_back(static_cast<int>(r % 3));
    spec.groups = 3;
    spec.factor = {1.2, .5, .4, .3, -.2, .6, -.1, .2, .3, .25};
    return spec;
}

std::vector<std::vector<kernels::RowsOutput>> outputsOf(const OwnedHead& head,
                                                        const std::vector<kernels::KernelSpec>& specs) {
    const std::vector<Index> rows = allRows(head.query.rows());
    const kernels::RowsJob job{head.inputs(), rows, specs, false};
    return kernels::makeBackend("reference")->attendRows({&job, 1}, {});
}

TEST(Budget, AGroupedKernelIsAnUngroupedOne) {
    const OwnedHead head = randomHead(15, 6, 4, 3);
    const kernels::Oal grouped = someGrouped(6), free = ungrouped(grouped);
    EXPECT_EQ(free.groups, 6);
    EXPECT_EQ(free.factor.size(), 28U);
    const auto outputs = outputsOf(head, {grouped, free}).front();
    EXPECT_TRUE(near(outputs[1].values, outputs[0].values, 1e-12));
}

/// c of a kernel with one group per dimension.
VectorXd freeCoefficients(const kernels::Oal& spec) {
    const auto kernel = quadraticKernel(spec.label, spec.epsilon);
    return kernel->coefficients(Eigen::Map<const VectorXd>(spec.factor.data(), static_cast<Index>(spec.factor.size())));
}

TEST(Budget, ErrorsOfKeptRowsAreThoseOfTheKernel) {
    for (const int variant : {0, 1, 2}) {
        OwnedHead head = randomHead(37, 6, 5, 3);
        if (variant == 1) head.window = 9;
        if (variant == 2) {
            head.valid = std::vector<std::uint8_t>(37, 1);
            head.valid[0] = head.valid[6] = 0;
        }
        const PromptTensors prompt(head.inputs());
        UngroupedRows rows;
        rows.add(prompt, allRows(37), {});
        EXPECT_EQ(rows.count(), variant == 2 ? 35 : 37);
        const kernels::Oal spec = ungrouped(someGrouped(6));
        const auto outputs = outputsOf(head, {kernels::Softmax{}, spec}).front();
        double sum = 0.0, count = 0.0;
        for (Index i = 0; i < 37; ++i)
            for (Index c = 0; outputs[0].bad[static_cast<std::size_t>(i)] == 0 && c < 5; ++c, ++count)
                sum += std::pow(outputs[1].values(i, c) - outputs[0].values(i, c), 2);
        WorkerPool pool(2);
        const VectorXd c = freeCoefficients(spec);
        VectorXd gradient;
        const double mse = rows.mse(c, &gradient, pool);
        EXPECT_NEAR(mse, sum / count, 1e-5 * mse) << variant;  // float sums
        // Along random directions, and none where c is only scaled. Differences of float sums: four digits.
        EXPECT_NEAR(gradient.dot(c), 0.0, 1e-5 * gradient.norm() * c.norm());
        kernels::RandomStream random(1, kernels::RandomPurpose::BenchTensors);
        for (int n = 0; n < 5; ++n) {
            VectorXd direction(c.size());
            for (double& x : direction) x = 0.05 * random.normal();
            const double slope =
                (rows.mse(c + direction, nullptr, pool) - rows.mse(c - direction, nullptr, pool)) / 2.0;
            EXPECT_NEAR(slope, gradient.dot(direction), 0.05 * gradient.norm() * direction.norm());
        }
    }
}

TEST(Budget, TheUngroupedFitIsNoWorseThanItsStart) {
    const OwnedHead head = randomHead(120, 6, 5, 4);
    const PromptTensors prompt(head.inputs());
    std::vector<Index> even, odd;
    for (Index i = 0; i < 120; ++i) (i % 2 == 0 ? even : odd).push_back(i);
    UngroupedRows train, validation;
    train.add(prompt, even, {});
    validation.add(prompt, odd, {});
    WorkerPool pool(1), more(3);
    const kernels::Oal start = someGrouped(6);
    const UngroupedFit fit = fitUngrouped(start, train, validation, pool, {});
    const double before = validation.mse(freeCoefficients(ungrouped(start)), nullptr, pool);
    EXPECT_GT(fit.iterations, 3);
    EXPECT_LT(fit.validationMse, 0.9 * before);
    EXPECT_NEAR(fit.validationMse, validation.mse(freeCoefficients(fit.spec), nullptr, pool), 1e-5 * before);
    const UngroupedFit same = fitUngrouped(start, train, validation, more, {});
    EXPECT_EQ(fit.spec.factor, same.spec.factor) << "threads";
    const RunControl cancelled;
    cancelled.cancel();
    EXPECT_THROW(fitUngrouped(start, train, validation, pool, cancelled), kernels::Cancelled);
}

BudgetParams smallBudget() {
    BudgetParams params;
    params.selection.layers = {LayerIndex{3}};
    params.selection.heads = {HeadIndex{0}, HeadIndex{3}};
    params.selection.prompts = {PromptIndex{2}};
    params.train = {PromptIndex{0}};
    params.validation = {PromptIndex{1}};
    params.groups = {1, 2, 3, 0};
    params.randomPartitions = 3;
    params.randomCuts = 1;
    params.fitRows = 0;
    params.starts = 2;
    params.threads = 1;
    return params;
}

TEST(Budget, OneGroupIsTheCalibratedGlobalQuadratic) {
    MemorySource source({});
    const BudgetParams params = smallBudget();
    const BudgetResult result = groupBudget(params, source, *kernels::makeBackend("reference"), {});
    CalibrationParams fits;
    fits.selection = params.selection;
    fits.kernels = {"global"};
    fits.train = params.train;
    fits.validation = params.validation;
    fits.evaluation = params.selection.prompts;
    fits.rows = 0;
    fits.starts = 2;
    fits.threads = 1;
    const CalibrationResult calibrated = calibrateKernels(fits, KernelFactory(), source, {});
    double mean = 0.0;
    for (const BudgetHead& head : result.heads) {
        if (head.point != 0) continue;
        const KernelFit* fit = calibrated.find(head.layer, head.head, "global");
        ASSERT_NE(fit, nullptr);
        // The same factor; the error by sums of moments there, pair by pair here.
        EXPECT_NEAR(head.mse, fit->evaluationMse, 1e-9 * head.mse);
        mean += fit->evaluationMse / 2.0;
    }
    EXPECT_NEAR(result.points[0].mse, mean, 1e-9 * mean);
}

TEST(Budget, PointsAndFront) {
    MemorySource source({});
    const BudgetParams params = smallBudget();
    const BudgetResult result = groupBudget(params, source, *kernels::makeBackend("cpu"), {});
    // One group; for 2 and 3: four orders at gaps, rotation, three random, one random cut; the grouping; ungrouped.
    ASSERT_EQ(result.points.size(), 1U + 2U * 9U + 1U + 1U);
    EXPECT_EQ(result.heads.size(), 2U * result.points.size());
    EXPECT_EQ(result.points.front().parameters, 3.0);
    EXPECT_EQ(result.points.back().parameters, 45.0);
    EXPECT_EQ(result.points.back().fit, "l-bfgs");
    double leastValidation = 1e300;
    for (const BudgetPoint& point : result.points) {
        EXPECT_TRUE(std::isfinite(point.relMse)) << point.order << " " << point.cutRule;
        if (point.fit == "gauss-newton") leastValidation = std::min(leastValidation, point.validationMse);
    }
    EXPECT_TRUE(std::any_of(result.points.begin(), result.points.end(), [](const auto& p) { return p.front; }));
    for (const BudgetPoint& point : result.points)
        for (const BudgetPoint& other : result.points)
            if (point.front && other.draw < 0) {
                EXPECT_FALSE(other.parameters < point.parameters && other.relMse < point.relMse);
            }
    for (const BudgetPoint& point : result.points) EXPECT_FALSE(point.front && point.draw >= 0);
    EXPECT_TRUE(result.warnings.empty()) << result.warnings.front().text;
    EXPECT_EQ(budgetTable(result).rows(), result.points.size());
    EXPECT_EQ(budgetHeadTable(result).rows(), result.heads.size());
    EXPECT_EQ(budgetSummaryRows(result).size(), 1U + 2U * 7U + 2U);
    EXPECT_EQ(budgetSummaryRows(result)[6].draws, 3U);
}

TEST(Budget, ThreadsChangeNothing) {
    MemorySource source({});
    BudgetParams params = smallBudget();
    const BudgetResult one = groupBudget(params, source, *kernels::makeBackend("cpu", {1, 0}), {});
    params.threads = 3;
    const BudgetResult three = groupBudget(params, source, *kernels::makeBackend("cpu", {3, 0}), {});
    for (std::size_t n = 0; n < one.points.size(); ++n) EXPECT_EQ(one.points[n].mse, three.points[n].mse) << n;
}

TEST(Budget, SaysWhatIsOdd) {
    MemorySource source({});
    BudgetParams params = smallBudget();
    params.groups = {1};
    params.selection.prompts = {};
    source.poison(3, 0);
    const BudgetResult result = groupBudget(params, source, *kernels::makeBackend("cpu"), {});
    const auto warned = [&](const std::string& code) {
        return std::any_of(result.warnings.begin(), result.warnings.end(),
                           [&](const Warning& w) { return w.code == code; });
    };
    EXPECT_TRUE(warned("overlap"));
    EXPECT_TRUE(warned("nonfinite"));
    for (const BudgetHead& head : result.heads) EXPECT_EQ(head.head, HeadIndex{3});
    const RunControl cancelled;
    cancelled.cancel();
    EXPECT_THROW(groupBudget(params, source, *kernels::makeBackend("cpu"), cancelled), kernels::Cancelled);
    params.groups = {};
    EXPECT_THROW(groupBudget(params, source, *kernels::makeBackend("cpu"), {}), kernels::ArgumentError);
    params.groups = {-1};
    EXPECT_THROW(groupBudget(params, source, *kernels::makeBackend("cpu"), {}), kernels::ArgumentError);
}

/// Lines "name number number ..".
std::map<std::string, std::vector<double>> numbersOfFile(const std::string& path) {
    std::map<std::string, std::vector<double>> numbers;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line.front() == '#') continue;
        std::istringstream words(line);
        std::string name;
        words >> name;
        for (double value = 0.0; words >> value;) numbers[name].push_back(value);
    }
    return numbers;
}

TEST(Budget, TheKnownGradientOfAGroupedKernel) {
    auto known = numbersOfFile(TEST_DATA_DIR "/oal-gradient.txt");
    ASSERT_EQ(known["gradient"].size(), 10U);
    const auto rows = static_cast<Index>(known["shape"][0]), dim = static_cast<Index>(known["shape"][1]);
    OwnedHead head;
    head.query = kernels::Matrix<double>(rows, dim, known["query"]);
    head.key = kernels::Matrix<double>(rows, dim, known["key"]);
    head.value = kernels::Matrix<double>(rows, static_cast<Index>(known["shape"][2]), known["value"]);
    head.scale = known["scale"][0];
    const PromptTensors prompt(head.inputs());
    const std::vector<int> label(known["label"].begin(), known["label"].end());
    const std::vector<Index> positions(known["rows"].begin(), known["rows"].end());
    const auto kernel = quadraticKernel(label, known["epsilon"][0]);
    const FitRows prepared = fitRows(*kernel, *kernel->features(prompt), prompt, positions, {});
    const VectorXd theta = Eigen::Map<const VectorXd>(known["factor"].data(), 10);
    // Both in double; K is a sum of squares, so its rounding is that of the output's energy.
    EXPECT_NEAR(prepared.mse(kernel->coefficients(theta)), known["loss"][0], 1e-13);
    const VectorXd gradient = kernel->derivative(theta).transpose() * prepared.gradient(kernel->coefficients(theta));
    for (Index n = 0; n < 10; ++n) EXPECT_NEAR(gradient[n], known["gradient"][static_cast<std::size_t>(n)], 1e-12) << n;
}

}  // namespace
}  // namespace dimscope::tests
