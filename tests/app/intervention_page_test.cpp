// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/intervention_page.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTest>
#include <algorithm>

#include "analysis/figures/intervention_figures.h"
#include "app/core/dump_opening.h"
#include "app/window/data_table.h"
#include "app/window/figure_panel.h"
#include "app/window/main_window.h"
#include "app/window/method_table.h"
#include "app/window/method_table_model.h"
#include "app/window/table_panel.h"
#include "tests/app/window_fixture.h"

namespace dimscope::app {
namespace {

using Values = std::map<std::string, double>;

class InterventionPageTest : public WindowTest {
protected:
    void SetUp() override {
        openSample();
        choose(15, 4);
        for (std::size_t i = 0; i < window().pages().size(); ++i)
            if (window().pages()[i]->title() == "Intervention") window().showPage(static_cast<int>(i));
    }

    InterventionPage& page() { return *qobject_cast<InterventionPage*>(window().currentPage()); }
    MethodTableModel& rows() { return page().table().rows(); }
    DataTable& view() { return page().table().view(); }
    QString text(int row, int column) { return rows().index(row, column).data().toString(); }

    QPushButton* button(const QString& text) {
        for (QPushButton* button : page().findChildren<QPushButton*>())
            if (button->text() == text && button->isVisible()) return button;
        return nullptr;
    }
    bool isWritten(const QString& part) {
        for (QLabel* label : page().findChildren<QLabel*>())
            if (label->isVisible() && label->text().contains(part)) return true;
        return false;
    }
    /// A small run of one layer; what is given wins.
    void ask(const Values& more) {
        Values values{{"rows", 4.0},       {"seeds", 1.0}, {"gaussian", 0.0}, {"replicates", 0.0},
                      {"dose_draws", 2.0}, {"dose", 0.0},  {"s", 1.0},        {"top", 4.0}};
        for (const auto& [name, value] : more) values[name] = value;
        Parameters parameters = window().model().parameters();
        parameters.chosenLayerOnly = true;
        parameters.errorPrompts = {analysis::PromptIndex{0}, analysis::PromptIndex{1}};
        parameters.experiments["intervene"] = values;
        window().model().setParameters(parameters);
    }
    void press(const QString& text) {
        ASSERT_TRUE(waitUntil([&] { return button(text) != nullptr; })) << text.toStdString();
        QTest::mouseClick(button(text), Qt::LeftButton);
    }
    void runToTheEnd(const Values& more) {
        ask(more);
        press(page().run().outcome() ? "Run again" : "Run");
        ASSERT_TRUE(waitUntil([&] { return !page().run().running(); }));
        ASSERT_NE(page().run().outcome(), nullptr) << page().run().failure().toStdString();
        ASSERT_TRUE(waitUntil([&] { return rows().rowCount() > 0 && button("Run again") != nullptr; }));
    }
    std::string subsetsOf() {
        const auto& figure = page().subsets().figure();
        return figure ? figure->name : "";
    }
};

TEST_F(InterventionPageTest, startsWhenAPersonWantsIt) {
    EXPECT_EQ(page().run().outcome(), nullptr);
    ASSERT_TRUE(waitUntil([&] { return isWritten("Press Run."); }));
    EXPECT_FALSE(page().table().isVisible());
    EXPECT_TRUE(page().content().figures.empty());
}

TEST_F(InterventionPageTest, theTableHasWhatTheResultSays) {
    runToTheEnd({{"gaussian", 1.0}, {"replicates", 60.0}});
    const analysis::InterventionResult& result = *page().run().outcome()->intervention;
    std::vector<analysis::RetainedRow> expected = analysis::retainedRows(result);
    ASSERT_EQ(rows().rowCount(), static_cast<int>(expected.size()));
    std::sort(expected.begin(), expected.end(), [](const auto& a, const auto& b) { return a.ratio > b.ratio; });
    for (int row = 0; row < rows().rowCount(); ++row) {
        const analysis::RetainedRow& of = expected[static_cast<std::size_t>(row)];
        EXPECT_EQ(rows().row(row).kernel, of.kernel);
        EXPECT_EQ(text(row, MethodTableModel::Pretrained).toStdString(),
                  analysis::percentWithError(of.ratio, of.error));
        EXPECT_TRUE(text(row, MethodTableModel::Gaussian).contains("±"));
        EXPECT_EQ(text(row, MethodTableModel::Subsets), "60");
        EXPECT_NE(text(row, MethodTableModel::P), "0");
    }
    EXPECT_TRUE(isWritten("Layer 15 · all heads"));
    EXPECT_TRUE(isWritten("9 heads"));
    EXPECT_EQ(view().rowHeight(), 26);
}

TEST_F(InterventionPageTest, aRowChosenByMouseOrKeysIsShownBelow) {
    runToTheEnd({{"replicates", 60.0}, {"dose", 1.0}});
    ASSERT_TRUE(waitUntil([&] { return !subsetsOf().empty(); }));
    EXPECT_EQ(subsetsOf(), "null-histogram-" + rows().row(0).kernel) << "the largest R_S at first";
    const auto clickOn = [&](int row) {
        QTest::mouseClick(view().viewport(), Qt::LeftButton, {},
                          view().visualRect(rows().index(row, MethodTableModel::Random)).center());
    };
    clickOn(2);
    EXPECT_EQ(page().chosen(), rows().row(2).kernel);
    EXPECT_EQ(subsetsOf(), "null-histogram-" + rows().row(2).kernel);
    QTest::keyClick(&view(), Qt::Key_Up);
    EXPECT_EQ(page().chosen(), rows().row(1).kernel);
    EXPECT_EQ(subsetsOf(), "null-histogram-" + rows().row(1).kernel);
    double widest = 0.0;
    std::string emphasised;
    for (const analysis::Mark& mark : page().dose().figure()->panels[0].marks)
        if (const auto* line = std::get_if<analysis::Line>(&mark); line && line->widthPt > widest) {
            widest = line->widthPt;
            emphasised = line->ink.kernel;
        }
    EXPECT_EQ(emphasised, page().chosen());
}

TEST_F(InterventionPageTest, sortingKeepsTheChosenMethodAndTheKeysGoOnFromIt) {
    runToTheEnd({{"replicates", 60.0}});
    QTest::mouseClick(view().viewport(), Qt::LeftButton, {}, view().visualRect(rows().index(1, 0)).center());
    const std::string chosen = page().chosen();
    QHeaderView& header = *view().horizontalHeader();
    QTest::mouseClick(header.viewport(), Qt::LeftButton, {},
                      {header.sectionViewportPosition(MethodTableModel::Method) + 20, header.height() / 2});
    for (int row = 1; row < rows().rowCount(); ++row)
        EXPECT_LE(text(row - 1, MethodTableModel::Method), text(row, MethodTableModel::Method));
    EXPECT_EQ(page().chosen(), chosen);
    EXPECT_EQ(view().currentIndex().row(), rows().rowOf(chosen));
    const int next = rows().rowOf(chosen) + 1 < rows().rowCount() ? 1 : -1;
    view().setFocus();
    QTest::keyClick(&view(), next > 0 ? Qt::Key_Down : Qt::Key_Up);
    EXPECT_EQ(rows().rowOf(page().chosen()), rows().rowOf(chosen) + next);
}

TEST_F(InterventionPageTest, aNarrowWindowKeepsTheDotsInSight) {
    runToTheEnd({});
    const auto fits = [&] {
        const QHeaderView& header = *view().horizontalHeader();
        return header.length() <= view().viewport()->width() && header.sectionSize(MethodTableModel::Dots) >= 100;
    };
    EXPECT_TRUE(fits());
    EXPECT_FALSE(view().isColumnHidden(MethodTableModel::Subsets));
    window().resize(960, 640);
    EXPECT_TRUE(waitUntil(fits)) << view().viewport()->width();
    EXPECT_FALSE(view().isColumnHidden(MethodTableModel::Pretrained));
    EXPECT_FALSE(view().isColumnHidden(MethodTableModel::P));
    window().resize(1440, 900);
    EXPECT_TRUE(waitUntil([&] { return fits() && !view().isColumnHidden(MethodTableModel::Subsets); }));
}

TEST_F(InterventionPageTest, theDoseAxisCanBeSwitched) {
    runToTheEnd({{"dose", 1.0}});
    ASSERT_NE(page().dose().figure(), nullptr);
    const auto axis = [&] { return page().dose().figure()->panels[0].x.title; };
    QComboBox* choice = page().dose().findChild<QComboBox*>();
    ASSERT_NE(choice, nullptr);
    EXPECT_TRUE(choice->isVisible());
    EXPECT_NE(axis().find("dimensions"), std::string::npos);
    choice->setCurrentIndex(1);
    EXPECT_NE(axis().find("χ"), std::string::npos);
    choice->setCurrentIndex(2);
    EXPECT_NE(axis().find("variance"), std::string::npos);
}

TEST_F(InterventionPageTest, whatWasNotAskedForSaysHowToGetIt) {
    runToTheEnd({});
    EXPECT_TRUE(isWritten("No random subsets asked for.\nSet Random subsets B"));
    EXPECT_TRUE(isWritten("No dose curve asked for.\nSwitch on Dose curve"));
    EXPECT_EQ(text(0, MethodTableModel::Random), "–");
    EXPECT_EQ(text(0, MethodTableModel::Gaussian), "–");
    EXPECT_FALSE(page().dose().findChild<QComboBox*>()->isVisible());
}

TEST_F(InterventionPageTest, everythingIsExportedAndTheOtherTablesStandBelow) {
    runToTheEnd({{"replicates", 60.0}, {"dose", 1.0}});
    const PageContent content = page().content();
    EXPECT_EQ(content.figures.size(), 2U + static_cast<std::size_t>(rows().rowCount()));
    EXPECT_EQ(content.figures.front()->name, "retained-error");
    ASSERT_FALSE(content.tables.empty());
    EXPECT_EQ(content.tables.front()->name, "retained-error");
    std::size_t below = 0;
    for (TablePanel* panel : page().findChildren<TablePanel*>())
        if (panel->isVisible()) ++below;
    EXPECT_EQ(below, content.tables.size() - 1);
    view().clearSelection();
    view().copySelection();
    const QStringList lines = QApplication::clipboard()->text().trimmed().split('\n');
    ASSERT_EQ(lines.size(), rows().rowCount() + 1);
    EXPECT_EQ(lines[1].split('\t')[1].toDouble(), rows().row(0).ratio) << "copied in full";
}

TEST_F(InterventionPageTest, aCancelledControlStaysInSightAndGoesOnFromItsReplicates) {
    ask({{"replicates", 160.0}});
    press("Run");
    ASSERT_TRUE(
        waitUntil([&] { return page().run().seen() && !page().run().seen()->intervention->subsetControls.empty(); }));
    ASSERT_TRUE(page().run().running()) << "long enough to be cancelled";
    ASSERT_TRUE(waitUntil([&] { return button("Cancel") != nullptr; }));
    page().run().cancel();
    ASSERT_TRUE(waitUntil([&] { return !page().run().running(); }));
    ASSERT_EQ(page().run().outcome(), nullptr) << "faster than the cancel";
    ASSERT_TRUE(waitUntil([&] { return button("Continue") != nullptr; }));
    const QString subsets = text(0, MethodTableModel::Subsets);
    EXPECT_TRUE(subsets.endsWith("…")) << subsets.toStdString();
    EXPECT_GE(subsets.chopped(1).toInt(), 50);
    EXPECT_LT(subsets.chopped(1).toInt(), 160);
    EXPECT_NE(text(0, MethodTableModel::P), "–");
    EXPECT_TRUE(isWritten("Continue goes on from there"));
    EXPECT_NE(page().subsets().figure()->caption.find("of 160 draws"), std::string::npos);
    press("Continue");
    ASSERT_TRUE(waitUntil([&] { return page().run().outcome() != nullptr; }));
    // The same as one run without a stop.
    const JobContext context{openDumpSafely(sample().toStdString()), std::make_shared<ResultStore>(),
                             std::make_shared<BackendSlot>()};
    const auto whole = runExperiment(context, window().model().workspace().experimentKey("intervene"), {});
    const auto& found = *page().run().outcome();
    ASSERT_EQ(whole->tables.size(), found.tables.size());
    for (std::size_t t = 0; t < whole->tables.size(); ++t)
        for (std::size_t c = 0; c < whole->tables[t].columns.size(); ++c)
            for (std::size_t row = 0; row < whole->tables[t].rows(); ++row)
                EXPECT_EQ(analysis::displayText(whole->tables[t].columns[c].cells[row]),
                          analysis::displayText(found.tables[t].columns[c].cells[row]));
    EXPECT_FALSE(page().run().continues());
}

}  // namespace
}  // namespace dimscope::app
