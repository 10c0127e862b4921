// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/experiment_page.h"

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

/// A small control of one layer, long enough to be cancelled.
Parameters smallIntervention(MainWindow& window) {
    Parameters parameters = window.model().parameters();
    parameters.chosenLayerOnly = true;
    parameters.experiments["intervene"] = {{"rows", 4.0},         {"seeds", 1.0}, {"gaussian", 0.0},
                                           {"replicates", 120.0}, {"s", 1.0},     {"top", 4.0}};
    return parameters;
}

TEST_F(ExperimentPageTest, aCancelledControlGoesOnFromItsReplicates) {
    choose(15, 4);
    ExperimentPage& page = show("Intervention");
    EXPECT_EQ(page.run().outcome(), nullptr);  // takes its time: nobody starts it but a person
    window().model().setParameters(smallIntervention(window()));
    ASSERT_TRUE(waitUntil([&] { return button(page, "Run") != nullptr; }));
    QTest::mouseClick(button(page, "Run"), Qt::LeftButton);
    ASSERT_TRUE(waitUntil([&] { return page.run().snapshot() != nullptr || page.run().outcome(); }));
    if (!page.run().outcome()) {
        const auto seen = page.run().snapshot();
        EXPECT_EQ(seen->replicates, 120);
        ASSERT_TRUE(waitUntil([&] { return button(page, "Cancel") != nullptr || page.run().outcome(); }));
        page.run().cancel();
        ASSERT_TRUE(waitUntil([&] { return !page.run().running(); }));
    }
    if (!page.run().outcome()) {
        EXPECT_TRUE(page.run().continues());
        ASSERT_TRUE(waitUntil([&] { return button(page, "Continue") != nullptr; }));
        QTest::mouseClick(button(page, "Continue"), Qt::LeftButton);
        ASSERT_TRUE(waitUntil([&] { return page.run().outcome() != nullptr; }));
    }
    // The same as one run without a stop.
    const JobContext context{openForWorkspace(sample().toStdString()), std::make_shared<ResultStore>(),
                             std::make_shared<BackendSlot>()};
    const auto whole = runExperiment(context, window().model().workspace().experimentKey("intervene"), {});
    ASSERT_EQ(whole->tables.size(), page.run().outcome()->tables.size());
    for (std::size_t t = 0; t < whole->tables.size(); ++t)
        for (std::size_t c = 0; c < whole->tables[t].columns.size(); ++c)
            for (std::size_t row = 0; row < whole->tables[t].rows(); ++row)
                EXPECT_EQ(analysis::displayText(whole->tables[t].columns[c].cells[row]),
                          analysis::displayText(page.run().outcome()->tables[t].columns[c].cells[row]));
    EXPECT_FALSE(page.run().continues());
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

}  // namespace
}  // namespace dimscope::app
