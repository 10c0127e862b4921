// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/grouping.h"

#include <cmath>

#include "tests/support/compare.h"
#include "tests/support/memory_source.h"

#include "kernels/backend_registry.h"

namespace dimscope::tests {
namespace {

using namespace analysis;
using Ints = std::vector<int>;

/// Three prompts of one head with eight dimensions; the known answers distinguish the support rules.
ProfileResult handProfile() {
    HeadProfile head;
    head.chiPrompts = kernels::Matrix<double>(3, 8, {.10, .12, .14, .15, .18, .45, .50, .95,  //
                                                     .11, .10, .15, .14, .15, .43, .48, .90,  //
                                                     .09, .13, .12, .16, .35, .17, .34, 1.10});
    head.chi.assign(8, 0.0);
    for (Index p = 0; p < 3; ++p)
        for (Index r = 0; r < 8; ++r) head.chi[static_cast<std::size_t>(r)] += head.chiPrompts(p, r) / 3.0;
    ProfileResult profile;
    profile.prompts = {PromptIndex{0}, PromptIndex{1}, PromptIndex{2}};
    profile.heads.push_back(std::move(head));
    return profile;
}

GroupingParams handParams(SupportRule rule) {
    GroupingParams params;
    params.alpha = 0.5;
    params.support = rule;
    params.bootstrap = {{0, 0, 1}, {2, 2, 2}, {0, 1, 2}, {1, 1, 0}};
    return params;
}

HeadGrouping grouped(SupportRule rule) { return groupHeads(handParams(rule), handProfile(), {}).heads.front(); }

std::vector<double> candidateSupport(const HeadGrouping& head) {
    std::vector<double> support;
    for (const int c : head.candidates) support.push_back(head.support[static_cast<std::size_t>(c)]);
    return support;
}

TEST(Grouping, RatiosAndCandidatesOfTheHandCase) {
    const HeadGrouping head = grouped(SupportRule::Rank);
    EXPECT_TRUE(near(head.ratio,
                     std::vector<double>{1.166667, 1.171429, 1.097561, 1.511111, 1.544118, 1.257143, 2.234848}, 1e-6));
    EXPECT_EQ(head.candidates, (Ints{4, 5, 6}));  // rank 3 passes tau but lies outside the tail
}

TEST(Grouping, SupportRulesDiffer) {
    EXPECT_EQ(candidateSupport(grouped(SupportRule::Rank)), (std::vector<double>{1, 0, 1}));
    EXPECT_EQ(candidateSupport(grouped(SupportRule::Set)), (std::vector<double>{.75, 0, 1}));
    EXPECT_EQ(candidateSupport(grouped(SupportRule::Fixed)), (std::vector<double>{.75, .25, 1}));
    EXPECT_EQ(candidateSupport(grouped(SupportRule::Tolerance)), (std::vector<double>{1, 1, 1}));
}

TEST(Grouping, CutsFollowSupport) {
    const HeadGrouping rank = grouped(SupportRule::Rank);
    EXPECT_EQ(rank.groups.size(), 3U);
    EXPECT_EQ(rank.outliers, (Ints{5, 6, 7}));
    EXPECT_EQ(rank.labels(), (Ints{0, 0, 0, 0, 0, 1, 1, 2}));
    EXPECT_EQ(grouped(SupportRule::Set).groups.size(), 2U);
    EXPECT_EQ(grouped(SupportRule::Fixed).outliers, (Ints{7}));
}

TEST(Grouping, FillsUpToTheLeastNumberOfGroups) {
    GroupingParams params = handParams(SupportRule::Rank);
    params.gamma = 1.0;
    params.tau = 5.0;  // no natural cut
    params.minGroups = 3;
    const HeadGrouping head = groupHeads(params, handProfile(), {}).heads.front();
    EXPECT_TRUE(head.naturalCuts.empty());
    EXPECT_EQ(head.cuts, (Ints{4, 6}));  // equal support 0: the larger ratios first
    params.minGroups = 9;                // the tail has three candidates
    const GroupingResult few = groupHeads(params, handProfile(), {});
    EXPECT_EQ(few.heads.front().groups.size(), 4U);
    EXPECT_EQ(few.warnings.back().code, "few-groups");
}

TEST(Grouping, TiesKeepTheOrderOfDimensions) {
    ProfileResult profile = handProfile();
    profile.heads[0].chi.assign(8, 1.0);
    EXPECT_EQ(groupHeads(handParams(SupportRule::Rank), profile, {}).heads[0].order, (Ints{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(Grouping, SameSeedSameDrawsOtherSeedOthers) {
    MemorySource source({});
    const auto backend = kernels::makeBackend("cpu");
    const ProfileResult profile = profileHeads({}, source, *backend, {});
    GroupingParams params;
    params.replicates = 50;
    params.tau = 1.02;
    const GroupingResult a = groupHeads(params, profile, {}), b = groupHeads(params, profile, {});
    params.seed = 1;
    const GroupingResult c = groupHeads(params, profile, {});
    bool differs = false;
    for (std::size_t n = 0; n < a.heads.size(); ++n) {
        EXPECT_EQ(a.heads[n].support, b.heads[n].support);
        differs = differs || a.heads[n].support != c.heads[n].support;
    }
    EXPECT_TRUE(differs);
}

TEST(Grouping, RefusesParametersOutsideTheirRange) {
    GroupingParams params = handParams(SupportRule::Rank);
    params.alpha = 0.0;
    EXPECT_THROW(groupHeads(params, handProfile(), {}), kernels::ArgumentError);
    params = handParams(SupportRule::Rank);
    params.bootstrap = {{0, 3}};
    EXPECT_THROW(groupHeads(params, handProfile(), {}), kernels::ArgumentError);
    EXPECT_THROW(supportRuleFrom("median"), kernels::ArgumentError);
}

TEST(Profile, SharesConcentrationAndMarkedHeads) {
    MemorySource source({});
    source.poison(3, 2);
    const auto backend = kernels::makeBackend("cpu");
    const ProfileResult profile = profileHeads({}, source, *backend, {});
    ASSERT_EQ(profile.heads.size(), 8U);
    const HeadProfile* marked = profile.find(LayerIndex{3}, HeadIndex{2});
    ASSERT_NE(marked, nullptr);
    EXPECT_FALSE(marked->usable());
    EXPECT_TRUE(std::isnan(marked->chi[0]));
    EXPECT_EQ(profile.warnings.front().place, "layer 3 head 2");
    EXPECT_NE(profile.warnings.front().text.find("position 2, dimension 1"), std::string::npos);
    const HeadProfile* fine = profile.find(LayerIndex{7}, HeadIndex{0});
    double sum = 0.0;
    for (const double share : fine->share) sum += share;
    EXPECT_NEAR(sum, 1.0, 1e-12);
    EXPECT_GE(fine->top5, fine->top1);
    EXPECT_LE(fine->effectiveDims, 8.0);
}

TEST(Profile, RopePartners) {
    LayerInfo layer;
    layer.headDim = 8;
    EXPECT_EQ(ropePartner(1, layer), 5);
    EXPECT_EQ(ropePartner(5, layer), 1);
    layer.rotaryDim = 4;
    EXPECT_EQ(ropePartner(1, layer), 3);
    EXPECT_EQ(ropePartner(6, layer), -1);
    layer.ropeLayout = "interleaved";
    EXPECT_EQ(ropePartner(2, layer), 3);
    layer.rope = "none";
    EXPECT_EQ(ropePartner(2, layer), -1);
}

}  // namespace
}  // namespace dimscope::tests
