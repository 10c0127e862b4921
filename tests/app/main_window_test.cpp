// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/main_window.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QCompleter>
#include <QDropEvent>
#include <QFile>
#include <QMimeData>
#include <QTemporaryDir>
#include <QTest>
#include <QUrl>

#include "app/window/appearance.h"
#include "app/window/banner.h"
#include "app/window/command_field.h"
#include "app/window/head_matrix.h"
#include "app/window/overview_panel.h"
#include "app/window/page.h"
#include "tests/app/window_fixture.h"

namespace dimscope::app {
namespace {

using MainWindowTest = WindowTest;

TEST_F(MainWindowTest, openingFillsTheOverviewAndChoosesTheStrongestHead) {
    openSample();
    ASSERT_TRUE(window().model().choice());
    double strongest = -1.0;
    HeadChoice expected;
    int heads = 0;
    for (const auto& layer : window().model().workspace().info().layers) {
        const auto profile = window().profiles().layer(layer.layer);
        ASSERT_NE(profile, nullptr);
        for (const analysis::HeadProfile& head : profile->heads) {
            ++heads;
            if (head.top5 > strongest) {
                strongest = head.top5;
                expected = {head.layer, head.head};
            }
        }
    }
    EXPECT_EQ(heads, 27);
    EXPECT_EQ(window().model().choice(), expected);
    EXPECT_TRUE(window().windowTitle().startsWith("smollm2-sample.h5"));
}

TEST_F(MainWindowTest, keysMoveThroughHeadsLayersPagesAndHistory) {
    openSample();
    choose(15, 4);
    QTest::keyClick(&window().overview().matrix(), Qt::Key_Right);
    EXPECT_EQ(window().model().choice(), headOf(15, 5));
    QTest::keyClick(&window(), Qt::Key_PageDown);
    EXPECT_EQ(window().model().choice(), headOf(25, 5));
    QTest::keyClick(&window(), Qt::Key_PageDown);
    EXPECT_EQ(window().model().choice(), headOf(25, 5));
    QTest::keyClick(&window(), Qt::Key_PageUp);
    EXPECT_EQ(window().model().choice(), headOf(15, 5));
    QTest::keyClick(&window(), Qt::Key_Left, Qt::AltModifier);
    QTest::keyClick(&window(), Qt::Key_Left, Qt::AltModifier);
    EXPECT_EQ(window().model().choice(), headOf(15, 5));
    QTest::keyClick(&window(), Qt::Key_Right, Qt::AltModifier);
    EXPECT_EQ(window().model().choice(), headOf(25, 5));
    QTest::keyClick(&window(), Qt::Key_BracketRight);
    EXPECT_EQ(window().currentPage()->title(), "Grouping");
    QTest::keyClick(&window(), Qt::Key_BracketLeft);
    EXPECT_EQ(window().currentPage()->title(), "Profile");
}

TEST_F(MainWindowTest, aBadFileLeavesTheDumpOpenAndSaysWhatIsWrong) {
    openSample();
    choose(15, 4);
    const QTemporaryDir folder;
    const QString path = folder.filePath("notes.h5");
    QFile file(path);
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write("this is not HDF5\n");
    file.close();
    window().open(path);
    ASSERT_TRUE(waitUntil([this] { return !window().banner().sentence().isEmpty(); }));
    EXPECT_TRUE(window().banner().sentence().contains("notes.h5"));
    EXPECT_TRUE(window().banner().sentence().endsWith('.'));
    EXPECT_EQ(window().model().choice(), headOf(15, 4));
    EXPECT_NE(window().profiles().chosenHead(), nullptr);
    EXPECT_TRUE(window().windowTitle().startsWith("smollm2-sample.h5"));
    window().open(folder.filePath("missing.h5"));
    ASSERT_TRUE(waitUntil([this] { return window().banner().sentence().contains("missing.h5"); }));
    window().model().reload();  // a good file takes the sentence away
    ASSERT_TRUE(waitUntil([this] { return window().banner().sentence().isEmpty(); }));
    EXPECT_EQ(window().model().choice(), headOf(15, 4));
}

TEST_F(MainWindowTest, aFileCanBeDroppedOnTheWindow) {
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(sample())});
    QDragEnterEvent enter(QPoint(200, 200), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&window(), &enter);
    EXPECT_TRUE(enter.isAccepted());
    QDropEvent event(QPointF(200, 200), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&window(), &event);
    EXPECT_TRUE(waitUntil([this] { return window().model().isOpen(); }));
}

TEST_F(MainWindowTest, aHeadIsFoundByTypingItWhileSuggestionsAreOpen) {
    openSample();
    auto* field = window().findChild<CommandField*>();
    ASSERT_NE(field, nullptr);
    field->setFocus(Qt::ShortcutFocusReason);
    QTest::keyClicks(field, "layer 15");
    ASSERT_TRUE(field->completer()->popup()->isVisible());
    EXPECT_EQ(field->text(), "layer 15");
    QTest::keyClicks(field, " h6");
    QTest::keyClick(field, Qt::Key_Return);
    EXPECT_EQ(window().model().choice(), headOf(15, 6));
    EXPECT_TRUE(field->text().isEmpty());

    field->setFocus(Qt::ShortcutFocusReason);
    QTest::keyClicks(field, "L99 h6");
    QTest::keyClick(field, Qt::Key_Return);
    EXPECT_EQ(window().model().choice(), headOf(15, 6));
    EXPECT_EQ(field->text(), "L99 h6");  // left to be corrected
}

TEST_F(MainWindowTest, everyPageIsDrawnInBothThemesAtItsSmallestSize) {
    openSample();
    window().resize(window().minimumSize());
    for (const ThemeChoice theme : {ThemeChoice::Dark, ThemeChoice::Light}) {
        appearance().choose(theme);
        for (int page = 0; page < static_cast<int>(window().pages().size()); ++page) {
            window().showPage(page);
            QTest::qWait(20);
            const QColor ground = window().grab().toImage().pixelColor(2, 2);
            EXPECT_EQ(ground.lightness() < 128, theme == ThemeChoice::Dark);
        }
    }
}

TEST_F(MainWindowTest, anotherLengthProfilesAnew) {
    openSample();
    const auto before = window().profiles().chosenLayer();
    Parameters parameters = window().model().parameters();
    parameters.length = 100;
    window().model().setParameters(parameters);
    ASSERT_TRUE(waitUntil([&] {
        return window().profiles().chosenLayer() && window().profiles().chosenLayer() != before &&
               !window().profiles().running();
    }));
    parameters.length = 0;
    window().model().setParameters(parameters);
    ASSERT_TRUE(waitUntil([&] { return !window().profiles().running(); }));
    EXPECT_EQ(window().profiles().chosenLayer(), before);  // nothing is computed twice
}

}  // namespace
}  // namespace dimscope::app
