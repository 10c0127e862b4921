// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/kernels_page.h"

#include <QSignalSpy>
#include <QTest>

#include "app/window/kernel_table.h"
#include "app/window/kernel_table_model.h"
#include "app/window/main_window.h"
#include "tests/app/window_fixture.h"

namespace dimscope::app {
namespace {

class KernelsPageTest : public WindowTest {
protected:
    void SetUp() override {
        openSample();
        choose(15, 4);
        window().showPage(2);
        ASSERT_TRUE(waitForComparison());
    }

    bool waitForComparison() {
        return waitUntil([this] { return window().comparison().head() && !window().comparison().stale(); });
    }
    KernelsPage& page() { return *qobject_cast<KernelsPage*>(window().currentPage()); }
    /// Heads that the result at hand is about.
    bool isAbout(HeadChoice head) {
        const auto& result = window().comparison().head();
        return result && result->find(head.layer, head.head, "performer") != nullptr;
    }
};

TEST_F(KernelsPageTest, showsEveryKernelWithExactAttentionOnTop) {
    ASSERT_TRUE(waitUntil([this] { return page().table().rows().rowCount() > 1; }));
    EXPECT_EQ(page().table().rows().rowCount(), static_cast<int>(comparableKernels().size()) + 1);
    EXPECT_EQ(page().table().rows().row(0).name, "softmax");
    EXPECT_TRUE(isAbout(headOf(15, 4)));
}

TEST_F(KernelsPageTest, followsTheChosenHeadAndNeverShowsAStaleOne) {
    int shownOfAnother = 0;
    QObject::connect(&window().comparison(), &HeadComparison::changed, &window(), [&] {
        if (window().comparison().head() && !isAbout(*window().model().choice())) ++shownOfAnother;
    });
    for (int head = 0; head < 9; ++head) {
        choose(25, head);
        QTest::qWait(2);
    }
    ASSERT_TRUE(waitForComparison());
    EXPECT_TRUE(isAbout(headOf(25, 8)));
    EXPECT_EQ(shownOfAnother, 0);
}

TEST_F(KernelsPageTest, followsRowsSeedLengthKernelsAndBackend) {
    const auto change = [this](auto set) {
        const auto before = window().comparison().head();
        Parameters parameters = window().model().parameters();
        set(parameters);
        window().model().setParameters(parameters);
        EXPECT_TRUE(
            waitUntil([&] { return window().comparison().head() != before && !window().comparison().stale(); }));
        return window().comparison().head();
    };
    EXPECT_EQ(change([](Parameters& p) { p.rows = 8; })->positions.front().size(), 8U);
    const auto seeded = change([](Parameters& p) { p.seed = 7; });
    const auto shorter = change([](Parameters& p) { p.length = 100; });
    EXPECT_NE(seeded->positions, shorter->positions);
    for (const Index position : shorter->positions.front()) EXPECT_LT(position, 100);
    EXPECT_EQ(change([](Parameters& p) { p.kernels = {"performer"}; })->find(LayerIndex{15}, HeadIndex{4}, "oal"),
              nullptr);
    const auto before = window().comparison().head();
    window().model().setBackend("reference");
    ASSERT_TRUE(waitUntil([&] { return window().comparison().head() != before && !window().comparison().stale(); }));
    EXPECT_EQ(window().comparison().head()->provenance.backend, "reference");
}

TEST_F(KernelsPageTest, aClickOnARowShowsItsWeightsWithoutComputing) {
    ASSERT_TRUE(waitUntil([this] { return page().table().rows().rowCount() > 1; }));
    const auto before = window().comparison().head();
    emit page().table().kernelChosen("taylor");
    EXPECT_EQ(window().model().parameters().weightsOf, "taylor");
    QTest::qWait(50);
    EXPECT_EQ(window().comparison().head(), before);
    emit page().table().kernelChosen("softmax");  // exact attention stands beside every kernel anyway
    EXPECT_EQ(window().model().parameters().weightsOf, "taylor");
}

TEST_F(KernelsPageTest, theLayerFollowsAfterTheHead) {
    ASSERT_TRUE(waitUntil([this] { return window().comparison().layer() != nullptr; }));
    ASSERT_TRUE(waitUntil(
        [this] { return page().table().rows().rowCount() > 1 && page().table().rows().row(1).layer.has_value(); }));
}

TEST_F(KernelsPageTest, exportsFiguresAndTheTable) {
    ASSERT_TRUE(waitUntil([this] { return page().content().figures.size() == 3; }));
    const PageContent content = page().content();
    ASSERT_EQ(content.tables.size(), 1U);
    EXPECT_EQ(content.tables.front()->rows(), comparableKernels().size() + 1);
}

TEST_F(KernelsPageTest, nothingIsComputedWhileThePageIsNotSeen) {
    window().showPage(0);
    const auto before = window().comparison().head();
    choose(5, 0);
    QTest::qWait(100);
    EXPECT_EQ(window().comparison().head(), before);
    window().showPage(2);
    ASSERT_TRUE(waitUntil([this] { return isAbout(headOf(5, 0)); }));
}

}  // namespace
}  // namespace dimscope::app
