// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/core/workspace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "app/core/dump_opening.h"
#include "app/core/job_queue.h"
#include "tests/support/memory_source.h"
#include "tests/support/wall_clock.h"

namespace dimscope::app {
namespace {

using tests::MemorySource;

class WorkspaceTest : public testing::Test {
protected:
    WorkspaceTest() { workspace_.adopt("made-up.h5", source_); }

    static HeadChoice head(int layer, int number) { return {LayerIndex{layer}, HeadIndex{number}}; }

    std::shared_ptr<MemorySource> source_ = std::make_shared<MemorySource>(MemorySource::Shape{});
    Workspace workspace_;
    std::shared_ptr<BackendSlot> slot_ = std::make_shared<BackendSlot>();
};

TEST_F(WorkspaceTest, choosesOnlyHeadsThatExist) {
    EXPECT_FALSE(workspace_.choice());
    EXPECT_TRUE(workspace_.choose(head(7, 3)));
    EXPECT_FALSE(workspace_.choose(head(7, 3)));
    EXPECT_FALSE(workspace_.choose(head(7, 4)));
    EXPECT_FALSE(workspace_.choose(head(5, 0)));
    EXPECT_EQ(workspace_.choice(), head(7, 3));
    ASSERT_NE(workspace_.layer(), nullptr);
    EXPECT_EQ(workspace_.layer()->layer, LayerIndex{7});
}

TEST_F(WorkspaceTest, reloadingKeepsTheChosenHeadAndAnotherFileForgetsIt) {
    workspace_.choose(head(7, 3));
    const ProfileKey before = workspace_.profileKey(LayerIndex{7});
    workspace_.adopt("made-up.h5", source_);
    EXPECT_EQ(workspace_.choice(), head(7, 3));
    EXPECT_NE(workspace_.profileKey(LayerIndex{7}), before);  // the file may have changed
    workspace_.adopt("other.h5", source_);
    EXPECT_FALSE(workspace_.choice());
    EXPECT_FALSE(workspace_.history().canGoBack());
}

TEST_F(WorkspaceTest, profilesALayerOnce) {
    const JobContext context = workspace_.context(slot_);
    const auto first = profileLayer(context, workspace_.profileKey(LayerIndex{3}), {});
    const int loads = source_->loads();
    EXPECT_EQ(first->heads.size(), 4U);
    EXPECT_EQ(profileLayer(context, workspace_.profileKey(LayerIndex{3}), {}), first);
    EXPECT_EQ(source_->loads(), loads);
}

TEST_F(WorkspaceTest, groupingUsesTheProfileOfThePage) {
    const JobContext context = workspace_.context(slot_);
    profileLayer(context, workspace_.profileKey(LayerIndex{3}), {});
    const int loads = source_->loads();
    const auto grouping = groupLayer(context, workspace_.groupingKey(LayerIndex{3}), {});
    EXPECT_EQ(grouping->heads.size(), 4U);
    EXPECT_EQ(source_->loads(), loads);
}

TEST_F(WorkspaceTest, groupsAreSelectedOnCalibrationPrompts) {
    source_->editInfo().prompts[0].split = "evaluation";
    source_->editInfo().prompts[1].split = source_->editInfo().prompts[2].split = "calibration";
    const auto selected = workspace_.groupingKey(LayerIndex{3}).profile.prompts;
    EXPECT_EQ(selected, (std::vector<PromptIndex>{PromptIndex{1}, PromptIndex{2}}));
    EXPECT_EQ(workspace_.headComparisonKey(head(3, 0)).prompts, std::vector<PromptIndex>{PromptIndex{0}});
}

TEST_F(WorkspaceTest, everyChangeOfAParameterIsAnotherKey) {
    const ComparisonKey key = workspace_.headComparisonKey(head(3, 0));
    EXPECT_EQ(workspace_.headComparisonKey(head(3, 0)), key);
    EXPECT_NE(workspace_.headComparisonKey(head(3, 1)), key);
    const auto changed = [&](auto change) {
        Parameters parameters;
        change(parameters);
        workspace_.setParameters(parameters);
        return workspace_.headComparisonKey(head(3, 0)) != key;
    };
    EXPECT_TRUE(changed([](Parameters& p) { p.rows = 8; }));
    EXPECT_TRUE(changed([](Parameters& p) { p.seed = 1; }));
    EXPECT_TRUE(changed([](Parameters& p) { p.draws = 1; }));
    EXPECT_TRUE(changed([](Parameters& p) { p.length = 12; }));
    EXPECT_TRUE(changed([](Parameters& p) { p.kernels = {"performer"}; }));
    EXPECT_TRUE(changed([](Parameters& p) { p.settings.set("performer", "features", 10); }));
    EXPECT_FALSE(changed([](Parameters& p) {
        p.settings.set("power", "p", 4);
        p.settings.clear("power", "p");
    }));
    EXPECT_TRUE(changed([](Parameters& p) { p.grouping.tau = 3.0; }));
    EXPECT_TRUE(changed([](Parameters& p) { p.evaluation.exactFirst = 4; }));
    EXPECT_TRUE(changed([](Parameters& p) { p.evaluation.exactWindow = 16; }));
    EXPECT_TRUE(changed([](Parameters& p) { p.evaluation.centreKeys = true; }));
    EXPECT_FALSE(changed([](Parameters& p) { p.positionBin = 8; }));  // only drawn differently
    workspace_.setParameters({});
    workspace_.setBackend("reference");
    EXPECT_NE(workspace_.headComparisonKey(head(3, 0)), key);
}

TEST_F(WorkspaceTest, aSettingOfAKernelThatIsNotShownComputesNothing) {
    Parameters parameters;
    parameters.kernels = {"performer"};
    workspace_.setParameters(parameters);
    const ComparisonKey key = workspace_.headComparisonKey(head(3, 0));
    parameters.settings.set("power", "p", 4);
    workspace_.setParameters(parameters);
    EXPECT_EQ(workspace_.headComparisonKey(head(3, 0)), key);
    parameters.kernels = {"performer", "power"};
    workspace_.setParameters(parameters);
    EXPECT_EQ(workspace_.headComparisonKey(head(3, 0)).settings.value("power", "p"), 4.0);
}

TEST_F(WorkspaceTest, comparesOneHeadAndKeepsItsWeights) {
    Parameters parameters;
    parameters.kernels = {"performer", "oal"};
    parameters.rows = 5;
    parameters.settings.set("performer", "features", 8);
    workspace_.setParameters(parameters);
    const auto result = compareKernelsOf(workspace_.context(slot_), workspace_.headComparisonKey(head(3, 1)), {});
    ASSERT_NE(result->find(LayerIndex{3}, HeadIndex{1}, "performer"), nullptr);
    ASSERT_NE(result->find(LayerIndex{3}, HeadIndex{1}, "oal"), nullptr);
    EXPECT_NE(result->find(LayerIndex{3}, HeadIndex{1}, "uniform"), nullptr);
    EXPECT_EQ(result->find(LayerIndex{3}, HeadIndex{0}, "performer"), nullptr);
    EXPECT_FALSE(result->weights.empty());
    EXPECT_EQ(result->find(LayerIndex{3}, HeadIndex{1}, "performer")->seedMse.size(), 3U);
}

TEST_F(WorkspaceTest, anExactPartAndCentredKeysReachTheComparison) {
    Parameters parameters;
    parameters.kernels = {"taylor"};
    parameters.rows = 4;
    parameters.evaluation = {.exactFirst = 1, .exactWindow = 3, .centreKeys = true, .train = {}};
    workspace_.setParameters(parameters);
    const ComparisonKey key = workspace_.headComparisonKey(head(3, 1));
    EXPECT_EQ(comparisonParams(key).evaluation, parameters.evaluation);
    const auto result = compareKernelsOf(workspace_.context(slot_), key, {});
    EXPECT_EQ(result->evaluation, parameters.evaluation);
    EXPECT_TRUE(result->find(LayerIndex{3}, HeadIndex{1}, "taylor")->gate);
    EXPECT_NE(result->find(LayerIndex{3}, HeadIndex{1}, "zero"), nullptr);
    EXPECT_EQ(result->find(LayerIndex{3}, HeadIndex{1}, "first_value"), nullptr);
}

TEST_F(WorkspaceTest, theLayerComparisonHasErrorsBehindTheProjection) {
    Parameters parameters;
    parameters.kernels = {"taylor"};
    parameters.rows = 4;
    workspace_.setParameters(parameters);
    const auto result = compareKernelsOf(workspace_.context(slot_), workspace_.layerComparisonKey(LayerIndex{3}), {});
    const auto pooled = std::find_if(result->pooled.begin(), result->pooled.end(),
                                     [](const analysis::PooledError& e) { return e.kernel == "taylor" && e.layer; });
    ASSERT_NE(pooled, result->pooled.end());
    EXPECT_TRUE(pooled->relMseAfterWo);
}

TEST_F(WorkspaceTest, aLengthBeyondTheLayerMeansAllOfIt) {
    Parameters parameters;
    parameters.length = 100000;
    workspace_.setParameters(parameters);
    EXPECT_EQ(workspace_.profileKey(LayerIndex{3}).length, 0);
    parameters.length = 10;
    workspace_.setParameters(parameters);
    EXPECT_EQ(workspace_.profileKey(LayerIndex{3}).length, 10);
}

TEST_F(WorkspaceTest, aComparisonOfALongHeadStopsWithin200MillisecondsOfCancelling) {
    using namespace std::chrono_literals;
    auto large = std::make_shared<MemorySource>(
        MemorySource::Shape{.prompts = 4, .positions = 4096, .headDim = 64, .valueDim = 64, .withProjection = false});
    workspace_.adopt("large.h5", large);
    Parameters parameters;
    parameters.rows = 0;  // all rows: seconds of work
    parameters.kernels = {"taylor"};
    workspace_.setParameters(parameters);
    JobQueue queue;
    std::optional<std::chrono::steady_clock::time_point> stopped;
    const JobHandle handle =
        queue.submit([context = workspace_.context(slot_), key = workspace_.headComparisonKey(head(3, 0))](
                         const RunControl& control) { return compareKernelsOf(context, key, control); },
                     [&](const auto&) { stopped = std::chrono::steady_clock::now(); });
    std::this_thread::sleep_for(100ms);
    const auto asked = std::chrono::steady_clock::now();
    handle.cancel();
    while (!stopped && std::chrono::steady_clock::now() < asked + 20s) {
        queue.deliver();
        std::this_thread::sleep_for(1ms);
    }
    ASSERT_TRUE(stopped);
    EXPECT_LE(*stopped - asked, 200ms * tests::kSlowdown);
}

TEST(Workspace, opensTheSample) {
    Workspace workspace;
    const std::filesystem::path path = std::filesystem::path(SAMPLE_DIR) / "smollm2-sample.h5";
    workspace.adopt(path, openDumpSafely(path));
    EXPECT_EQ(workspace.info().layers.size(), 3U);
    EXPECT_THROW(openDumpSafely("no-such-file.h5"), kernels::FileError);
    EXPECT_TRUE(workspace.isOpen());
}

TEST(Workspace, offersKernelsWithoutExactAttentionAndReferenceLines) {
    const std::vector<std::string> kernels = comparableKernels();
    EXPECT_EQ(std::count(kernels.begin(), kernels.end(), "performer"), 1);
    EXPECT_EQ(std::count(kernels.begin(), kernels.end(), "softmax"), 0);
    for (const std::string& line : referenceKernels()) EXPECT_EQ(std::count(kernels.begin(), kernels.end(), line), 0);
}

}  // namespace
}  // namespace dimscope::app
