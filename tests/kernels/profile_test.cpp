// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/backend_registry.h"
#include "tests/kernels/tolerances.h"
#include "tests/support/compare.h"
#include "tests/support/head_cases.h"

namespace dimscope::tests {
namespace {

using namespace kernels;

ProfileOutput profileWith(const char* backend, const OwnedHead& head) {
    const std::vector<ProfileJob> jobs{{head.inputs()}};
    return makeBackend(backend)->profile(jobs, {}).front();
}

TEST(Profile, PrefixSumsEqualAllPairs) {
    for (const Index rows : {1, 2, 33, 70})
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
                    const ProfileOutput fast = profileWith("cpu", head), plain = profileWith("reference", head);
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

TEST(Profile, EffectiveContributionIgnoresAConstantKey) {
    OwnedHead head = randomHead(50, 4, 2, 8);
    const ProfileOutput before = profileWith("cpu", head);
    for (Index j = 0; j < 50; ++j) head.key(j, 2) += 100.0;
    const ProfileOutput after = profileWith("cpu", head);
    EXPECT_TRUE(near(after.chiEffective, before.chiEffective, kDeviationTolerance));
    EXPECT_GT(after.chi[2], 10.0 * before.chi[2]);
}

TEST(Profile, HeadsOfOneGroupEqualSingleHeads) {
    const OwnedHead a = randomHead(40, 6, 2, 1);
    OwnedHead b = randomHead(40, 6, 2, 2);
    std::vector<ProfileJob> jobs{{a.inputs()}, {b.inputs()}};
    jobs[1].head.key = jobs[0].head.key;  // the second head reads the first one's keys
    b.key = a.key;
    const auto both = makeBackend("cpu")->profile(jobs, {});
    EXPECT_TRUE(near(both[0].chi, profileWith("cpu", a).chi, 0.0));
    EXPECT_TRUE(near(both[1].chi, profileWith("cpu", b).chi, 0.0));
}

TEST(Profile, MixedPrecisionsOfQueryAndKey) {
    const OwnedHead head = randomHead(20, 4, 2, 5);
    Matrix<float> query(20, 4);
    std::copy(head.query.values().begin(), head.query.values().end(), query.values().begin());
    std::vector<ProfileJob> jobs{{head.inputs()}};
    jobs[0].head.query = query.view();
    EXPECT_TRUE(near(makeBackend("cpu")->profile(jobs, {}).front().chi, profileWith("cpu", head).chi, 1e-15));
}

}  // namespace
}  // namespace dimscope::tests
