// SPDX-License-Identifier: GPL-3.0-or-later
#include <map>

#include "tests/kernels/backend_fixture.h"
#include "tests/support/compare.h"

namespace dimscope::tests {
namespace {

using namespace kernels;

/// Made once: a GPU takes a while.
Backend& backendOf(const std::string& name) {
    static std::map<std::string, std::unique_ptr<Backend>> made;
    std::unique_ptr<Backend>& backend = made[name];
    if (!backend) backend = makeBackend(name);
    return *backend;
}

ProfileOutput profileWith(const std::string& backend, const OwnedHead& head) {
    const std::vector<ProfileJob> jobs{{head.inputs()}};
    return backendOf(backend).profile(jobs, {}).front();
}

class ProfileTest : public testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(All, ProfileTest, testing::ValuesIn(usableBackends()),
                         [](const auto& instance) { return instance.param; });

TEST_P(ProfileTest, PrefixSumsEqualAllPairs) {
    for (const Index rows : {1, 2, 33, 70, 300})
        for (const bool causal : {true, false})
            for (const Index window : {0, 1, 7})
                for (const bool holes : {false, true}) {
                    OwnedHead head = randomHead(rows, 5, 3, 11, 2.0);
                    head.causal = causal;
                    head.window = causal ? window : 0;
                    if (holes) {
                        head.valid.assign(static_cast<std::size_t>(rows), 1);
                        for (std::size_t n = 1; n < head.valid.size(); n += 3) head.valid[n] = 0;
                    }
                    SCOPED_TRACE(testing::Message() << "rows " << rows << " causal " << causal << " window " << window
                                                    << " holes " << holes);
                    const ProfileOutput fast = profileWith(GetParam(), head), plain = profileWith("reference", head);
                    EXPECT_TRUE(near(fast.chi, plain.chi, kProfileTolerance));
                    EXPECT_TRUE(near(fast.qMeanAbs, plain.qMeanAbs, kProfileTolerance));
                    EXPECT_TRUE(near(fast.kMeanAbs, plain.kMeanAbs, kProfileTolerance));
                    EXPECT_TRUE(near(fast.qMaxAbs, plain.qMaxAbs, 0.0));
                    EXPECT_TRUE(near(fast.kMaxAbs, plain.kMaxAbs, 0.0));
                    EXPECT_EQ(fast.pairs, plain.pairs);
                    if (rows > 2) {
                        EXPECT_TRUE(
                            near(fast.chiEffective, plain.chiEffective, window == 1 ? 1e-6 : kDeviationTolerance));
                    }
                }
}

TEST_P(ProfileTest, EffectiveContributionIgnoresAConstantKey) {
    OwnedHead head = randomHead(50, 4, 2, 8);
    const ProfileOutput before = profileWith(GetParam(), head);
    for (Index j = 0; j < 50; ++j) head.key(j, 2) += 100.0;
    const ProfileOutput after = profileWith(GetParam(), head);
    EXPECT_TRUE(near(after.chiEffective, before.chiEffective, kDeviationTolerance));
    EXPECT_GT(after.chi[2], 10.0 * before.chi[2]);
}

TEST_P(ProfileTest, HeadsOfOneGroupEqualSingleHeads) {
    const OwnedHead a = randomHead(40, 6, 2, 1);
    OwnedHead b = randomHead(40, 6, 2, 2);
    std::vector<ProfileJob> jobs{{a.inputs()}, {b.inputs()}};
    jobs[1].head.key = jobs[0].head.key;  // the second head reads the first one's keys
    b.key = a.key;
    const auto both = backendOf(GetParam()).profile(jobs, {});
    EXPECT_TRUE(near(both[0].chi, profileWith(GetParam(), a).chi, 0.0));
    EXPECT_TRUE(near(both[1].chi, profileWith(GetParam(), b).chi, 0.0));
}

TEST_P(ProfileTest, MixedPrecisionsOfQueryAndKey) {
    const OwnedHead head = randomHead(20, 4, 2, 5);
    Matrix<float> query(20, 4);
    std::copy(head.query.values().begin(), head.query.values().end(), query.values().begin());
    std::vector<ProfileJob> jobs{{head.inputs()}};
    jobs[0].head.query = query.view();
    EXPECT_TRUE(near(backendOf(GetParam()).profile(jobs, {}).front().chi, profileWith(GetParam(), head).chi, 1e-15));
}

}  // namespace
}  // namespace dimscope::tests
