// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/profile_page.h"

#include <QTest>
#include <optional>

#include "app/window/data_table.h"
#include "app/window/figure_panel.h"
#include "app/window/figure_view.h"
#include "app/window/findings_row.h"
#include "app/window/main_window.h"
#include "tests/app/window_fixture.h"

namespace dimscope::app {
namespace {

class ProfilePageTest : public WindowTest {
protected:
    void SetUp() override {
        openSample();
        choose(15, 4);
        ASSERT_TRUE(waitUntil([this] { return window().profiles().grouping() != nullptr && magnitudes() != nullptr; }));
    }

    /// The view that shows the magnitudes; nullptr before they are there.
    FigureView* magnitudes() {
        for (FigureView* view : window().currentPage()->findChildren<FigureView*>())
            if (view->figure() && view->figure()->name.starts_with("magnitude")) return view;
        return nullptr;
    }
};

TEST_F(ProfilePageTest, hasAFigureForEveryQuestionAndATable) {
    ASSERT_TRUE(waitUntil([this] { return window().currentPage()->content().figures.size() == 4; }));
    const PageContent content = window().currentPage()->content();
    ASSERT_EQ(content.tables.size(), 1U);
    EXPECT_EQ(content.tables.front()->rows(), 64U);
    for (const auto& figure : content.figures) {
        EXPECT_FALSE(figure->name.empty());
        EXPECT_EQ(figure->provenance.dump.name, "smollm2-sample.h5");
    }
}

TEST_F(ProfilePageTest, hoverMarksADimensionAndAClickKeepsIt) {
    FigureView& view = *magnitudes();
    std::optional<QPoint> place;
    for (int x = view.width() / 2; x < view.width() && !place; ++x) {
        QTest::mouseMove(view.viewport(), QPoint(x, view.height() / 2));
        if (window().highlight().hovered() >= 0) place = QPoint(x, view.height() / 2);
    }
    ASSERT_TRUE(place);
    const int dimension = window().highlight().hovered();
    QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, *place);
    EXPECT_TRUE(window().highlight().locked());
    QTest::mouseMove(view.viewport(), QPoint(2, 2));
    EXPECT_EQ(window().highlight().hovered(), dimension);
    QTest::keyClick(&window(), Qt::Key_Escape);
    EXPECT_FALSE(window().highlight().locked());
}

TEST_F(ProfilePageTest, draggingAlongTheAxisBrushesDimensionsAndEscReleasesThem) {
    FigureView& view = *magnitudes();
    const QPoint from(view.width() / 2, view.height() / 2), to(view.width() / 2 + 80, view.height() / 2);
    QTest::mousePress(view.viewport(), Qt::LeftButton, {}, from);
    QTest::mouseMove(view.viewport(), to);
    QTest::mouseRelease(view.viewport(), Qt::LeftButton, {}, to);
    const std::vector<int> brushed = window().highlight().brushed();
    ASSERT_GE(brushed.size(), 3U);
    EXPECT_EQ(brushed.back() - brushed.front() + 1, static_cast<int>(brushed.size()));
    QTest::keyClick(&window(), Qt::Key_Escape);
    EXPECT_TRUE(window().highlight().brushed().empty());
}

TEST_F(ProfilePageTest, aFindingBrushesTheDimensionsThatItNames) {
    auto* findings = window().currentPage()->findChild<FindingsRow*>();
    ASSERT_NE(findings, nullptr);
    analysis::Finding finding;
    finding.dimensions = {26, 58};
    emit findings->followed(finding);
    EXPECT_EQ(window().highlight().brushed(), (std::vector<int>{26, 58}));
    choose(15, 3);
    EXPECT_TRUE(window().highlight().brushed().empty());
}

TEST_F(ProfilePageTest, theTableIsSortedByShareAndMarksADimension) {
    auto* table = window().currentPage()->findChild<DataTable*>();
    ASSERT_NE(table, nullptr);
    ASSERT_TRUE(waitUntil([&] { return table->model()->rowCount() == 64; }));
    const analysis::HeadProfile& head = *window().profiles().chosenHead();
    EXPECT_EQ(table->model()->index(0, 0).data().toInt(), head.order.back());
    emit table->rowHovered(0);
    EXPECT_EQ(window().highlight().hovered(), head.order.back());
}

}  // namespace
}  // namespace dimscope::app
