// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/intervention/intervention.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "kernels/backend_registry.h"
#include "kernels/error.h"
#include "tests/support/compare.h"
#include "tests/support/memory_source.h"

namespace dimscope::tests {
namespace {

using namespace analysis;

InterventionParams smallIntervention(std::vector<std::string> kernels) {
    InterventionParams params;
    params.kernels = std::move(kernels);
    params.rows = 6;
    params.subset.kind = SubsetChoice::Kind::Top;
    params.subset.top = 2;
    return params;
}

InterventionResult intervened(const InterventionParams& params, MemorySource& source,
                              const char* backend = "reference") {
    return intervene(params, KernelFactory{}, source, *kernels::makeBackend(backend), {});
}

bool warnsAbout(const InterventionResult& result, const std::string& code) {
    return std::any_of(result.warnings.begin(), result.warnings.end(),
                       [&](const Warning& warning) { return warning.code == code; });
}

TEST(Intervention, AllDimensionsKeepAllOfTheErrorAndNoneKeepsNone) {
    MemorySource source({});
    InterventionParams params = smallIntervention({"taylor", "performer"});
    params.subset.top = 8;
    for (const RetainedMethod& method : intervened(params, source).methods) {
        EXPECT_EQ(method.retained.ratio, 1.0) << method.kernel;
        EXPECT_EQ(method.retained.eComplement, 0.0) << method.kernel;
    }
    params.subset.top = 0;
    const InterventionResult none = intervened(params, source);
    for (const RetainedMethod& method : none.methods) {
        EXPECT_EQ(method.retained.eS, 0.0) << method.kernel;
        EXPECT_EQ(method.retained.eComplement, method.retained.eFull) << method.kernel;
    }
    EXPECT_TRUE(warnsAbout(none, "empty-selection"));
}

// Cells, heads and the headline are averages of the same errors.
TEST(Intervention, TheHeadlineIsTheMeanOverCells) {
    MemorySource source({});
    const InterventionResult result = intervened(smallIntervention({"taylor"}), source);
    const RetainedRatio& r = result.methods.front().retained;
    ASSERT_EQ(r.cells.size(), 6U);  // two layers, three prompts
    double ratio = 0.0, eS = 0.0, eFull = 0.0, ofHeads = 0.0;
    for (const RetainedCell& cell : r.cells) {
        ratio += cell.eS / cell.eFull / 6.0;
        eS += cell.eS / 6.0;
        eFull += cell.eFull / 6.0;
    }
    EXPECT_NEAR(r.ratio, ratio, 1e-14);
    EXPECT_NEAR(r.eS, eS, 1e-14 * eS);
    EXPECT_NEAR(r.ratioPooled, eS / eFull, 1e-14);
    for (const RetainedHead& head : result.heads) ofHeads += head.eFull / static_cast<double>(result.heads.size());
    EXPECT_NEAR(ofHeads, eFull, 1e-12 * eFull);  // equal rows everywhere
    EXPECT_EQ(result.selected, 16);
    EXPECT_EQ(result.dimensions, 64);
    EXPECT_TRUE(warnsAbout(result, "overlap"));
}

TEST(Intervention, BackendsAgree) {
    MemorySource source({});
    const InterventionParams params = smallIntervention({"performer", "dijiang", "taylorshift", "oal", "elu"});
    const InterventionResult exact = intervened(params, source), fast = intervened(params, source, "cpu");
    for (std::size_t k = 0; k < exact.methods.size(); ++k)
        EXPECT_NEAR(fast.methods[k].retained.ratio, exact.methods[k].retained.ratio, 1e-4)  // float outputs
            << exact.methods[k].kernel;
}

TEST(Intervention, KernelsWithoutARestrictionRefuse) {
    MemorySource source({});
    EXPECT_THROW(intervened(smallIntervention({"rfa"}), source), kernels::ShapeError);
    EXPECT_THROW(intervened(smallIntervention({}), source), kernels::ArgumentError);
}

TEST(Intervention, SubsetsFollowTheirRule) {
    MemorySource source({});
    const ProfileResult profile = profileHeads({}, source, *kernels::makeBackend("reference"), {});
    const GroupingResult grouping = groupHeads({}, profile, {});
    const HeadPlace place{LayerIndex{3}, HeadIndex{1}};
    const HeadGrouping& head = *grouping.find(place.first, place.second);
    SubsetChoice choice;
    EXPECT_EQ(chooseSubsets(choice, grouping).at(place), head.outliers);
    choice.kind = SubsetChoice::Kind::Share;
    choice.share = 0.5;
    const std::vector<int> half = chooseSubsets(choice, grouping).at(place);
    double total = 0.0, held = 0.0, least = 1e300;
    for (const double chi : head.chi) total += chi;
    for (const int r : half) {
        held += head.chi[static_cast<std::size_t>(r)];
        least = std::min(least, head.chi[static_cast<std::size_t>(r)]);
    }
    EXPECT_GE(held, 0.5 * total);
    EXPECT_LT(held - least, 0.5 * total) << "one dimension less would not do";
    choice.kind = SubsetChoice::Kind::Listed;
    choice.listed[place] = {1, 9};
    EXPECT_THROW(chooseSubsets(choice, grouping), kernels::ArgumentError);
    choice.listed[place] = {1, 6};
    EXPECT_EQ(chooseSubsets(choice, grouping).at(place), (std::vector<int>{1, 6}));
    EXPECT_TRUE(chooseSubsets(choice, grouping).at({LayerIndex{3}, HeadIndex{0}}).empty());
}

// A rotation of queries and keys leaves every logit: what depends on logits or on norms alone keeps its full error.
TEST(Intervention, ARotationLeavesTheFullErrorOfKernelsOfTheLogit) {
    MemorySource source({});
    InterventionParams params = smallIntervention({"taylor", "taylorshift", "global"});
    params.rungs = {ControlRung::Rotation};
    const InterventionResult result = intervened(params, source);
    ASSERT_EQ(result.controls.size(), 1U);
    for (std::size_t k = 0; k < 3; ++k) {
        const double eFull = result.methods[k].retained.eFull;
        EXPECT_NEAR(result.controls[0].draws[0].own[k].retained.eFull, eFull, 1e-9 * eFull);
        EXPECT_NE(result.controls[0].draws[0].own[k].retained.eS, result.methods[k].retained.eS);
    }
}

TEST(Intervention, EveryRungIsDrawnAnewAndAgain) {
    MemorySource source({});
    InterventionParams params = smallIntervention({"taylor"});
    params.rungs = ladder();
    params.draws = 2;
    const InterventionResult once = intervened(params, source), twice = intervened(params, source);
    ASSERT_EQ(once.controls.size(), 6U);
    for (std::size_t c = 0; c < 6; ++c) {
        const auto& draws = once.controls[c].draws;
        ASSERT_EQ(draws.size(), 2U);
        EXPECT_NE(draws[0].own[0].retained.eS, draws[1].own[0].retained.eS) << rungName(once.controls[c].rung);
        EXPECT_EQ(draws[1].own[0].retained.eS, twice.controls[c].draws[1].own[0].retained.eS);
        EXPECT_EQ(draws[0].selected, 16);
    }
}

/// Standard deviation of all entries and mean of the products of neighbouring dimensions, over all positions.
std::pair<double, double> spreadOf(HeadSource& source) {
    double squares = 0.0, products = 0.0, count = 0.0;
    for (int p = 0; p < 3; ++p) {
        const auto tensor = source.load(TensorKind::Query, LayerIndex{3}, PromptIndex{p}, 0, {});
        const auto& values = std::get<kernels::Matrix<double>>(tensor->values);
        for (Index i = 0; i < values.rows(); ++i)
            for (Index r = 0; r + 1 < values.cols(); ++r) {
                squares += values(i, r) * values(i, r);
                products += values(i, r) * values(i, r + 1);
                count += 1.0;
            }
    }
    return {std::sqrt(squares / count), products / count};
}

TEST(ControlSources, TheFirstRungIsStandardNormal) {
    MemorySource source({3, 2000, 8, 6, false});
    const auto gaussian = controlSource(ControlRung::Gaussian, source, 1);
    const auto [deviation, product] = spreadOf(*gaussian);
    EXPECT_NEAR(deviation, 1.0, 0.02);  // 42 thousand draws: standard error 0.0035
    EXPECT_NEAR(product, 0.0, 0.02);
    EXPECT_EQ(
        std::get<kernels::Matrix<double>>(
            gaussian->load(TensorKind::Value, LayerIndex{3}, PromptIndex{0}, 0, {})->values)
            .values(),
        std::get<kernels::Matrix<double>>(source.load(TensorKind::Value, LayerIndex{3}, PromptIndex{0}, 0, {})->values)
            .values());
}

TEST(ControlSources, ShuffledPositionsAreTheSameRows) {
    MemorySource source({});
    const auto shuffled = controlSource(ControlRung::Shuffle, source, 1);
    const auto rows = [](HeadSource& from) {
        const auto tensor = from.load(TensorKind::Key, LayerIndex{7}, PromptIndex{1}, 1, {});
        std::multiset<std::vector<double>> all;
        std::visit(
            [&](const auto& m) {
                for (Index i = 0; i < m.rows(); ++i) all.insert(std::vector<double>(m.row(i), m.row(i) + m.cols()));
            },
            tensor->values);
        return all;
    };
    EXPECT_EQ(rows(*shuffled), rows(source));
}

TEST(SubsetControls, AnObservedSubsetIsOneOfItsOwnDraws) {
    MemorySource source({});
    InterventionParams params = smallIntervention({"taylor", "elu"});
    params.selection.layers = {LayerIndex{3}};
    params.subset.top = 1;
    params.subsets = true;
    params.replicates = 60;
    params.pool = SubsetPool::All;
    const InterventionResult result = intervened(params, source, "cpu");
    ASSERT_EQ(result.subsetControls.size(), 2U);
    for (const SubsetControl& control : result.subsetControls) {
        EXPECT_EQ(control.ratios.size(), 60U);
        EXPECT_EQ(control.p, static_cast<double>(1 + control.atLeast) / 61.0);
        EXPECT_GE(control.pMaxT, control.p - 1e-12);  // the largest of two is at least either
        EXPECT_LE(control.quantiles[0], control.quantiles[4]);
        EXPECT_GT(std::set<double>(control.ratios.begin(), control.ratios.end()).size(), 20U);
    }
    EXPECT_EQ(intervened(params, source, "cpu").subsetControls[0].ratios, result.subsetControls[0].ratios);
}

TEST(SubsetControls, ABulkWithTooFewDimensionsIsRefused) {
    MemorySource source({});
    InterventionParams params = smallIntervention({"taylor"});
    params.subset.top = 5;
    params.subsets = true;
    params.replicates = 3;
    EXPECT_THROW(intervened(params, source), kernels::ArgumentError);
    params.pool = SubsetPool::All;
    EXPECT_EQ(intervened(params, source).subsetControls.front().ratios.size(), 3U);
}

}  // namespace
}  // namespace dimscope::tests
