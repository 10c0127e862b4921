// SPDX-License-Identifier: GPL-3.0-or-later
// What surrounds the headline: ranks of heads, dose, sweep, cross-fit, protocols.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "analysis/intervention/intervention.h"
#include "analysis/intervention/protocol.h"
#include "analysis/intervention/subset_selection.h"
#include "kernels/backend_registry.h"
#include "kernels/error.h"
#include "tests/support/memory_source.h"

namespace dimscope::tests {
namespace {

using namespace analysis;

InterventionParams topTwo() {
    InterventionParams params;
    params.kernels = {"taylor", "elu"};
    params.rows = 5;
    params.subset.kind = SubsetChoice::Kind::Top;
    params.subset.top = 2;
    params.grouping.replicates = 30;
    return params;
}

InterventionResult ran(const InterventionParams& params, HeadSource& source, const char* backend = "reference") {
    return intervene(params, KernelFactory{}, source, *kernels::makeBackend(backend), {});
}

TEST(SubsetDraws, AllSubsetsComeOnceAndWithoutS) {
    const auto bulk = allSubsets({1, 4}, 6, SubsetPool::Bulk, 100);
    ASSERT_TRUE(bulk);
    EXPECT_EQ(*bulk, (std::vector<std::vector<int>>{{0, 2}, {0, 3}, {0, 5}, {2, 3}, {2, 5}, {3, 5}}));
    const auto all = allSubsets({1, 4}, 6, SubsetPool::All, 100);
    ASSERT_TRUE(all);
    EXPECT_EQ(all->size(), 14U);  // 6 over 2 less S
    EXPECT_EQ(std::set<std::vector<int>>(all->begin(), all->end()).size(), 14U);
    EXPECT_FALSE(allSubsets({1, 4}, 6, SubsetPool::All, 14));
    EXPECT_FALSE(allSubsets({}, 6, SubsetPool::All, 100));
    EXPECT_FALSE(allSubsets({0, 1, 2, 3}, 6, SubsetPool::Bulk, 100)) << "only two dimensions are left";
    EXPECT_EQ(allSubsets({0, 1, 2}, 6, SubsetPool::Bulk, 100)->size(), 1U);
}

// Every subset of two dimensions as its own run, head by head: the rank is a count over them.
TEST(HeadRanks, AreCountsOverAllSubsets) {
    MemorySource source({});
    InterventionParams params = topTwo();
    params.selection.layers = {LayerIndex{3}};
    params.subsets = true;
    params.replicates = 10;
    const InterventionResult result = ran(params, source);
    ASSERT_EQ(result.ranks.size(), 8U);  // four heads, two kernels
    std::map<std::pair<int, std::string>, std::size_t> atLeast;
    InterventionParams single = topTwo();
    single.selection = params.selection;
    single.subset.kind = SubsetChoice::Kind::Listed;
    for (int a = 0; a < 8; ++a)
        for (int b = a + 1; b < 8; ++b) {
            for (int head = 0; head < 4; ++head) single.subset.listed[{LayerIndex{3}, HeadIndex{head}}] = {a, b};
            const InterventionResult other = ran(single, source);
            for (std::size_t n = 0; n < other.heads.size(); ++n) {
                const std::vector<int>& own = result.subsets.at({LayerIndex{3}, other.heads[n].head});
                if (std::count(own.begin(), own.end(), a) + std::count(own.begin(), own.end(), b) > 0) continue;
                ASSERT_EQ(other.heads[n].kernel, result.heads[n].kernel);
                if (other.heads[n].eS >= result.heads[n].eS)
                    ++atLeast[{other.heads[n].head.value, other.heads[n].kernel}];
            }
        }
    for (const HeadRank& rank : result.ranks) {
        EXPECT_TRUE(rank.exact);
        EXPECT_EQ(rank.of, 16U);  // 6 over 2, and S
        EXPECT_EQ(rank.rank, 1 + atLeast[std::pair(rank.head.value, rank.kernel)]);
        EXPECT_EQ(rank.p, static_cast<double>(rank.rank) / 16.0);
        EXPECT_GE(rank.q, rank.p);
    }
}

TEST(HeadRanks, AHeadWithTooManySubsetsIsRankedAmongTheDraws) {
    MemorySource source({});
    InterventionParams params = topTwo();
    params.subsets = true;
    params.replicates = 25;
    params.rankLimit = 14;  // of 15
    for (const HeadRank& rank : ran(params, source).ranks) {
        EXPECT_FALSE(rank.exact);
        EXPECT_EQ(rank.of, 26U);
    }
    params.subset.top = 0;
    for (const HeadRank& rank : ran(params, source).ranks) {
        EXPECT_EQ(rank.rank, 0U);
        EXPECT_TRUE(std::isnan(rank.p) && std::isnan(rank.q));
    }
}

TEST(DoseCurves, EndAtTheFullErrorAndPassThroughTheTopDimensions) {
    MemorySource source({});
    InterventionParams params = topTwo();
    params.dose = true;
    params.doseDraws = 4;
    const InterventionResult result = ran(params, source);
    EXPECT_EQ(doseNumbers(64), (std::vector<Index>{1, 2, 3, 5, 8, 12, 16, 24, 32, 48, 64}));
    EXPECT_EQ(doseNumbers(8), (std::vector<Index>{1, 2, 3, 5, 8}));
    ASSERT_EQ(result.dose.size(), 20U);  // two kernels, two orders, five numbers
    for (const DosePoint& point : result.dose) {
        const RetainedRatio& r = result.methods[point.kernel == "taylor" ? 0 : 1].retained;
        if (point.dimensions == 8) {
            EXPECT_NEAR(point.ratio, 1.0, 1e-14);  // a mean of six ones
            EXPECT_NEAR(point.chiShare, 1.0, 1e-14);
            EXPECT_NEAR(point.varianceShare, 1.0, 1e-12);  // sums in another order
        }
        if (point.dimensions == 2 && !point.random) {
            EXPECT_NEAR(point.ratio, r.ratio, 1e-14);
        }
        if (point.random) {
            EXPECT_LE(point.from, point.ratio + 1e-14);
            EXPECT_GE(point.to, point.ratio - 1e-14);
            EXPECT_GT(point.chiShare, 0.0);
        } else {
            EXPECT_TRUE(std::isnan(point.from) && std::isnan(point.to));
        }
    }
}

TEST(DoseCurves, TheShareOfVarianceIsThatOfThePartialLogit) {
    MemorySource source({});
    InterventionParams params = topTwo();
    params.selection = {{LayerIndex{3}}, {HeadIndex{1}}, {PromptIndex{0}}, 0};
    params.dose = true;
    params.doseDraws = 0;
    const InterventionResult result = ran(params, source);
    const auto q =
        std::get<kernels::Matrix<double>>(source.load(TensorKind::Query, LayerIndex{3}, PromptIndex{0}, 1, {})->values);
    const auto k =
        std::get<kernels::Matrix<double>>(source.load(TensorKind::Key, LayerIndex{3}, PromptIndex{0}, 0, {})->values);
    const std::vector<int>& top = result.subsets.at({LayerIndex{3}, HeadIndex{1}});
    double part = 0.0, whole = 0.0;
    for (const Index i : result.positions[0]) {
        std::vector<double> some, all;
        for (Index j = 0; j <= i; ++j) {
            some.push_back(q(i, top[0]) * k(j, top[0]) + q(i, top[1]) * k(j, top[1]));
            all.push_back(0.0);
            for (Index r = 0; r < 8; ++r) all.back() += q(i, r) * k(j, r);
        }
        const auto variance = [](const std::vector<double>& values) {
            double sum = 0.0, squares = 0.0;
            for (const double v : values) sum += v;
            for (const double v : values) squares += std::pow(v - sum / static_cast<double>(values.size()), 2);
            return squares / static_cast<double>(values.size());
        };
        part += variance(some);
        whole += variance(all);
    }
    ASSERT_EQ(result.dose[1].dimensions, 2);
    EXPECT_NEAR(result.dose[1].varianceShare, part / whole, 1e-12);
}

TEST(Sweeps, HoldTheChosenSettingAndThePapers) {
    MemorySource source({});
    InterventionParams params = topTwo();
    params.subset = {};
    params.sweep = true;
    params.grouping.alpha = 0.6;
    const InterventionResult result = ran(params, source);
    std::size_t chosen = 0, qwen = 0, llama = 0;
    for (const SweepPoint& point : result.sweep) {
        if (point.setting == "chosen") {
            ++chosen;
            const std::size_t k = point.kernel == "taylor" ? 0 : 1;
            EXPECT_EQ(point.ratio, result.methods[k].retained.ratio);
            EXPECT_EQ(point.selected, static_cast<double>(result.selected));
        }
        if (point.setting == "oal-qwen") {
            ++qwen;
            EXPECT_EQ(point.alpha, 0.25);
            EXPECT_EQ(point.gamma, 0.9);
        }
        if (point.setting == "oal-llama") {
            ++llama;
            EXPECT_EQ(point.alpha, 0.5);
            EXPECT_EQ(point.gamma, 0.5);
        }
    }
    EXPECT_EQ(chosen, 2U);  // two kernels
    EXPECT_EQ(qwen, 2U);
    EXPECT_EQ(llama, 2U);
}

/// The same dump with another first prompt.
class OtherFirstPrompt : public HeadSource {
public:
    explicit OtherFirstPrompt(HeadSource& source)
        : source_(source), other_(controlSource(ControlRung::Gaussian, source, 5)) {}
    const DumpInfo& info() const override { return source_.info(); }
    std::shared_ptr<const LoadedTensor> load(TensorKind kind, LayerIndex layer, PromptIndex prompt, int head,
                                             const RunControl& control) override {
        return (prompt.value == 0 ? *other_ : source_).load(kind, layer, prompt, head, control);
    }
    std::shared_ptr<const std::vector<std::uint8_t>> validity(PromptIndex prompt) override {
        return source_.validity(prompt);
    }
    std::optional<double> sink(LayerIndex, HeadIndex) override { return std::nullopt; }
    std::shared_ptr<const kernels::Matrix<double>> outputProjection(LayerIndex, const RunControl&) override {
        return nullptr;
    }

private:
    HeadSource& source_;
    std::unique_ptr<HeadSource> other_;
};

TEST(CrossFits, SForAPromptDoesNotKnowThePrompt) {
    MemorySource source({});
    OtherFirstPrompt other(source);
    InterventionParams params = topTwo();
    params.crossFit = true;
    params.subsets = true;
    params.replicates = 5;
    const InterventionResult one = ran(params, source), two = ran(params, other);
    ASSERT_EQ(one.folds.size(), 3U);
    EXPECT_EQ(one.folds[0], two.folds[0]);
    EXPECT_NE(one.folds[1], two.folds[1]);
    for (const Warning& warning : one.warnings) EXPECT_NE(warning.code, "overlap");
    // The fold of prompt 0 is S from prompts 1 and 2, judged on prompt 0.
    InterventionParams plain = topTwo();
    plain.calibration = {PromptIndex{1}, PromptIndex{2}};
    plain.selection.prompts = {PromptIndex{0}};
    const InterventionResult left = ran(plain, source);
    EXPECT_EQ(left.subsets, one.folds[0]);
    for (std::size_t k = 0; k < 2; ++k) {
        const RetainedCell &a = one.methods[k].retained.cells[0], &b = left.methods[k].retained.cells[0];
        ASSERT_EQ(a.prompt, b.prompt);
        // Rows are drawn per prompt, so the cell is the same one.
        EXPECT_EQ(a.eS, b.eS);
        EXPECT_EQ(a.eFull, b.eFull);
    }
    params.selection.prompts = {PromptIndex{0}};
    params.calibration = {PromptIndex{0}};
    EXPECT_THROW(ran(params, source), kernels::ArgumentError);
}

TEST(CrossFits, AreTheDefaultOfADumpWithoutSplits) {
    MemorySource source({});
    for (PromptInfo& prompt : source.editInfo().prompts) prompt.split.clear();
    const KernelFactory factory;
    EXPECT_TRUE(isCrossFitByDefault(source.info(), {}, factory));
    EXPECT_FALSE(isCrossFitByDefault(source.info(), {{}, {}, {PromptIndex{1}}, 0}, factory)) << "one prompt";
    const auto labelled = std::make_shared<kernels::ParameterSet>();
    labelled->layers[LayerIndex{3}]["oal"].arrays["label"] = {{4, 8}, std::vector<double>(32, 0.0)};
    EXPECT_FALSE(isCrossFitByDefault(source.info(), {}, KernelFactory({}, labelled)));
    source.editInfo().prompts[0].split = "train";
    EXPECT_FALSE(isCrossFitByDefault(source.info(), {}, factory));
}

TEST(Protocols, SayWhatADumpCannotMeet) {
    MemorySource source({});
    const auto places = [&](const char* name) {
        std::multiset<std::string> all;
        for (const Warning& warning : unmetBy(protocolFrom(name), source.info())) all.insert(warning.place);
        return all;
    };
    EXPECT_EQ(places("oal-qwen"),
              (std::multiset<std::string>{"layers", "layers", "layers", "length", "prompts", "prompts"}));
    EXPECT_EQ(places("oal-llama"), (std::multiset<std::string>{"layers", "prompts", "prompts"}));
    EXPECT_TRUE(places("quick").empty());
    EXPECT_EQ(protocolFrom("oal-llama").alpha, 0.5);
    EXPECT_THROW(protocolFrom("paper"), kernels::ArgumentError);
}

}  // namespace
}  // namespace dimscope::tests
