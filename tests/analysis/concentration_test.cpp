// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/contribution/concentration.h"

#include <algorithm>
#include <cmath>

#include "analysis/contribution/top_dimensions.h"
#include "analysis/head_profile.h"
#include "analysis/statistics.h"
#include "kernels/backend_registry.h"
#include "kernels/error.h"
#include "tests/support/compare.h"
#include "tests/support/memory_source.h"

namespace dimscope::tests {
namespace {

using namespace analysis;

/// The source's tensors with some dimensions of all keys made larger.
class OutlierSource : public MemorySource {
public:
    using MemorySource::MemorySource;
    std::shared_ptr<const LoadedTensor> load(TensorKind kind, LayerIndex layer, PromptIndex prompt, int head,
                                             const RunControl& control) override {
        const auto original = MemorySource::load(kind, layer, prompt, head, control);
        if (kind != TensorKind::Key) return original;
        auto made = std::make_shared<LoadedTensor>(*original);
        auto& values = std::get<kernels::Matrix<double>>(made->values);
        for (Index i = 0; i < values.rows(); ++i)
            for (const Index r : {2, 7, 11}) values(i, r) *= 20.0;
        return made;
    }
};

TEST(Concentration, OutlierDimensionsStandOutOfTheDraws) {
    OutlierSource source({.prompts = 2, .positions = 64, .headDim = 32});
    const auto backend = kernels::makeBackend("reference");
    const ConcentrationResult result = concentration({.draws = 9}, source, *backend, {});
    ASSERT_EQ(result.heads.size(), 8U);
    for (const HeadConcentration& head : result.heads) {
        std::vector<int> strongest(head.strongest.begin(), head.strongest.begin() + 3);
        std::sort(strongest.begin(), strongest.end());
        EXPECT_EQ(strongest, (std::vector<int>{2, 7, 11}));
        ASSERT_EQ(head.isotropic.own.size(), 9U);
        // 60 of 89 parts before chance; five of 32 dimensions that chance alone makes uneven.
        EXPECT_GT(head.top5, 0.6);
        for (std::size_t n = 0; n < 9; ++n) {
            EXPECT_LE(head.isotropic.same[n], head.isotropic.own[n]);
            EXPECT_LT(head.isotropic.own[n], 0.25);
        }
        EXPECT_NEAR(meanOf(head.isotropic.same), 5.0 / 32.0, 0.02);
        EXPECT_DOUBLE_EQ(head.isotropic.p, 0.1);  // at most 1 / (9 + 1)
        EXPECT_LT(head.effectiveDims, 8.0);
        EXPECT_GT(meanOf(head.isotropic.effectiveDims), 28.0);
    }
}

// Tensors that are N(0, 1) themselves cannot be told from the draws: p is uniform on {1/20, .., 1}.
TEST(Concentration, IsotropicHeadsLieAmongTheDraws) {
    MemorySource source({.prompts = 2, .positions = 48, .headDim = 16});
    const auto backend = kernels::makeBackend("reference");
    const ConcentrationResult result = concentration({.draws = 19}, source, *backend, {});
    std::vector<double> p;
    for (const HeadConcentration& head : result.heads) p.push_back(head.isotropic.p);
    EXPECT_GT(meanOf(p), 0.2);  // eight heads: expected 0.525 with a standard error of 0.1
    EXPECT_LT(meanOf(p), 0.85);
}

TEST(Concentration, SharesAreThoseOfTheProfile) {
    MemorySource source({});
    const auto backend = kernels::makeBackend("reference");
    const ConcentrationResult result = concentration({.draws = 0}, source, *backend, {});
    const ProfileResult profile = profileHeads({}, source, *backend, {});
    for (const HeadConcentration& head : result.heads) {
        const HeadProfile* expected = profile.find(head.layer, head.head);
        ASSERT_TRUE(expected);
        EXPECT_EQ(head.top1, expected->top1);
        EXPECT_NEAR(head.top5, topShareOf(expected->chi, 5), 1e-14);  // the same sum in another order
        EXPECT_NEAR(head.effectiveDims, expected->effectiveDims, 1e-12);
        EXPECT_EQ(head.lorenz.front(), 0.0);
        EXPECT_NEAR(head.lorenz.back(), 1.0, 1e-14);
        EXPECT_TRUE(std::is_sorted(head.lorenz.begin(), head.lorenz.end()));
        EXPECT_TRUE(head.isotropic.own.empty());
        EXPECT_TRUE(std::isnan(head.isotropic.p));
    }
    EXPECT_EQ(concentrationTable(result).rows(), 8U);
    EXPECT_EQ(lorenzTable(result).rows(), 8U * 9U);
}

TEST(Concentration, TheSameOnAnyNumberOfThreads) {
    MemorySource source({.positions = 40, .headDim = 16});
    const auto draws = [&](int threads, std::uint64_t seed) {
        const auto backend = kernels::makeBackend("cpu", {threads, 0});
        std::vector<double> own;
        for (const HeadConcentration& head : concentration({.draws = 3, .seed = seed}, source, *backend, {}).heads)
            own.insert(own.end(), head.isotropic.own.begin(), head.isotropic.own.end());
        return own;
    };
    EXPECT_EQ(draws(1, 5), draws(3, 5));
    EXPECT_NE(draws(1, 5), draws(1, 60));
}

TEST(Concentration, AHeadThatIsNotFiniteIsMarked) {
    MemorySource source({});
    source.poison(7, 2);
    const auto backend = kernels::makeBackend("reference");
    const ConcentrationResult result = concentration({.draws = 2}, source, *backend, {});
    const HeadConcentration* head = result.find(LayerIndex{7}, HeadIndex{2});
    ASSERT_TRUE(head);
    EXPECT_FALSE(head->usable);
    EXPECT_TRUE(std::isnan(head->top5) && std::isnan(head->effectiveDims) && std::isnan(head->isotropic.p));
    EXPECT_TRUE(head->isotropic.own.empty());
    EXPECT_TRUE(std::isfinite(result.find(LayerIndex{7}, HeadIndex{1})->isotropic.p));
}

TEST(Concentration, RefusesAndStops) {
    MemorySource source({});
    const auto backend = kernels::makeBackend("reference");
    EXPECT_THROW(concentration({.draws = -1}, source, *backend, {}), kernels::ArgumentError);
    const RunControl cancelled;
    cancelled.cancel();
    EXPECT_THROW(concentration({}, source, *backend, cancelled), kernels::Cancelled);
}

}  // namespace
}  // namespace dimscope::tests
