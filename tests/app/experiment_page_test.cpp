// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/experiment_page.h"

#include <QComboBox>
#include <QPushButton>
#include <QSpinBox>
#include <QTest>

#include "app/window/experiment_form.h"
#include "app/window/figure_panel.h"
#include "app/window/main_window.h"
#include "app/window/table_panel.h"
#include "tests/app/window_fixture.h"

namespace dimscope::app {
namespace {

class ExperimentPageTest : public WindowTest {
protected:
    void SetUp() override { openSample(); }

    ExperimentPage& show(const QString& title) {
        const auto& pages = window().pages();
        for (std::size_t i = 0; i < pages.size(); ++i)
            if (pages[i]->title() == title) window().showPage(static_cast<int>(i));
        return *qobject_cast<ExperimentPage*>(window().currentPage());
    }
    QPushButton* button(ExperimentPage& page, const QString& text) {
        for (QPushButton* button : page.findChildren<QPushButton*>())
            if (button->text() == text && button->isVisible()) return button;
        return nullptr;
    }
    QSpinBox* field(const QString& label) {
        for (ExperimentForm* form : window().findChildren<ExperimentForm*>())
            for (QSpinBox* box : form->findChildren<QSpinBox*>())
                if (box->accessibleName() == label && box->isVisible()) return box;
        return nullptr;
    }
};

TEST_F(ExperimentPageTest, aQuickOneStartsWhenItIsLookedAt) {
    ExperimentPage& page = show("Orders");
    ASSERT_TRUE(waitUntil([&] { return page.run().outcome() != nullptr; }));
    ASSERT_TRUE(waitUntil([&] { return !page.content().figures.empty(); }));
    EXPECT_EQ(page.content().figures.size(), page.run().outcome()->figures.size());
    EXPECT_EQ(page.content().tables.size(), page.run().outcome()->tables.size());
    int seen = 0;
    for (FigurePanel* panel : page.findChildren<FigurePanel*>()) seen += panel->isVisible() && panel->figure() ? 1 : 0;
    EXPECT_EQ(seen, static_cast<int>(page.content().figures.size()));
    EXPECT_NE(button(page, "Run again"), nullptr);
}

TEST_F(ExperimentPageTest, aChangedParameterMakesItStaleAndRunAgainUsesIt) {
    ExperimentPage& page = show("Orders");
    ASSERT_TRUE(waitUntil([&] { return page.run().outcome() != nullptr; }));
    const auto before = page.run().outcome();
    QSpinBox* rows = field("Query rows");
    ASSERT_NE(rows, nullptr);
    rows->setValue(4);
    EXPECT_TRUE(page.run().stale());
    EXPECT_EQ(page.run().outcome(), before);  // what was found stays
    ASSERT_TRUE(waitUntil([&] { return button(page, "Run again") != nullptr; }));
    QTest::mouseClick(button(page, "Run again"), Qt::LeftButton);
    ASSERT_TRUE(waitUntil([&] { return page.run().outcome() != before; }));
    EXPECT_FALSE(page.run().stale());
    const auto* column = page.run().outcome()->tables[1].find("position");
    ASSERT_NE(column, nullptr);
    EXPECT_EQ(column->cells.size() % 4, 0U);
    rows->setValue(32);  // back at the start: the first result's parameters
    EXPECT_TRUE(window().model().parameters().experiments.empty());
}

TEST_F(ExperimentPageTest, cancelSaysSoAndRunStartsAnew) {
    ExperimentPage& page = show("Orders");
    page.run().cancel();
    ASSERT_TRUE(waitUntil([&] { return !page.run().running(); }));
    if (page.run().outcome()) GTEST_SKIP() << "it was faster than the cancel";
    EXPECT_EQ(page.run().failure(), "Cancelled.");
    ASSERT_TRUE(waitUntil([&] { return button(page, "Run") != nullptr; }));
    QTest::mouseClick(button(page, "Run"), Qt::LeftButton);
    EXPECT_TRUE(waitUntil([&] { return page.run().outcome() != nullptr; }));
}

TEST_F(ExperimentPageTest, theFormNamesTheLayersAndFollowsTheChosenOne) {
    choose(15, 4);
    show("Orders");
    QComboBox* layers = nullptr;
    for (ExperimentForm* form : window().findChildren<ExperimentForm*>())
        for (QComboBox* box : form->findChildren<QComboBox*>())
            if (box->accessibleName() == "Layers" && box->isVisible()) layers = box;
    ASSERT_NE(layers, nullptr);
    EXPECT_EQ(layers->itemText(0), "5 15 25");
    EXPECT_EQ(layers->itemText(1), "layer 15");
    layers->setCurrentIndex(1);
    EXPECT_TRUE(window().model().parameters().chosenLayerOnly);
    EXPECT_EQ(window().model().workspace().experimentKey("orders").request.selection.layers,
              (std::vector{analysis::LayerIndex{15}}));
    choose(25, 0);
    EXPECT_EQ(layers->itemText(1), "layer 25");
    EXPECT_EQ(layers->currentIndex(), 1);
}

}  // namespace
}  // namespace dimscope::app
