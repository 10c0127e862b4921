// SPDX-License-Identifier: GPL-3.0-or-later
#include <QApplication>
#include <QClipboard>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRadioButton>
#include <QTemporaryDir>
#include <QTest>

#include "app/window/appearance.h"
#include "app/window/banner.h"
#include "app/window/main_window.h"
#include "app/window/mapping_dialog.h"
#include "app/window/qt_text.h"
#include "app/window/reading_card.h"
#include "app/window/reading_dialog.h"
#include "app/window/status_row.h"
#include "tests/app/window_fixture.h"

namespace dimscope::app {
namespace {

/// Files of tests/data/make_layouts.py that leave a choice, in a folder of their own: what is remembered of one test
/// would be known to the next, so the file's memory goes with it.
class ReadingDialogsTest : public WindowTest {
protected:
    ~ReadingDialogsTest() override {
        QFile::remove(qEnvironmentVariable("XDG_CONFIG_HOME") + "/dimscope-test/dimscope-test/readings.json");
    }

    QString copied(const QString& name) {
        const QString path = folder_.filePath(name);
        EXPECT_TRUE(QFile::copy(QString(TEST_DATA_DIR) + "/layouts/" + name, path));
        return path;
    }
    MappingDialog* dialog() { return window().findChild<MappingDialog*>(); }
    bool isOpen(const QString& path) {
        return window().model().isOpen() && qt(window().model().workspace().path()) == path && dialog() == nullptr;
    }
    /// Opens a file that asks, and waits for the question and its previews.
    MappingDialog& asked(const QString& path) {
        window().open(path);
        EXPECT_TRUE(waitUntil([this] { return dialog() != nullptr && dialog()->isVisible(); }));
        EXPECT_TRUE(waitUntil([this] { return !dialog()->isPreviewing(); }));
        return *dialog();
    }
    /// Opens a file that asks and answers with the second reading.
    bool opensAsSecond(const QString& path) {
        QTest::keyClick(&asked(path), Qt::Key_2);
        QTest::keyClick(dialog(), Qt::Key_Return);
        return waitUntil([&] { return isOpen(path); });
    }
    int heads() { return window().model().workspace().info().layers.front().nHeads; }
    QString facts() {
        QString all;
        for (const QLabel* label : window().findChild<StatusRow*>()->findChildren<QLabel*>()) all += label->text();
        return all;
    }
    ReadingDialog* openReading() {
        for (QAction* action : window().actions())
            if (action->text().remove('&') == "Reading…") action->trigger();
        return window().findChild<ReadingDialog*>();
    }
    bool reopens(const QString& path) {
        window().open(sample());
        EXPECT_TRUE(waitUntil([&] { return isOpen(sample()); }));
        window().open(path);
        EXPECT_TRUE(waitUntil([&] { return isOpen(path) || dialog() != nullptr; }));
        return dialog() == nullptr;
    }

    QTemporaryDir folder_;
};

TEST_F(ReadingDialogsTest, AReadingIsChosenByMouseAndRemembered) {
    const QString path = copied("asks_square.h5");
    MappingDialog& mapping = asked(path);
    ASSERT_EQ(mapping.cards().size(), 2U);
    for (const ReadingCard* card : mapping.cards()) {
        EXPECT_TRUE(card->hasPreview()) << card->words().toStdString();
        EXPECT_FALSE(card->button()->isChecked());
        EXPECT_FALSE(card->button()->hasFocus());
    }
    EXPECT_FALSE(mapping.readButton()->isEnabled());
    EXPECT_TRUE(mapping.command().isEmpty());
    QTest::mouseClick(mapping.cards()[1], Qt::LeftButton, {}, QPoint(20, 200));  // anywhere on the card
    EXPECT_TRUE(mapping.cards()[1]->button()->isChecked());
    EXPECT_TRUE(mapping.command().endsWith("--axes 'prompt pos head dim'")) << mapping.command().toStdString();
    ASSERT_TRUE(mapping.readButton()->isEnabled());
    QTest::mouseClick(mapping.readButton(), Qt::LeftButton);
    ASSERT_TRUE(waitUntil([&] { return isOpen(path); }));
    EXPECT_EQ(heads(), 5);
    EXPECT_TRUE(window().model().isRemembered());
    EXPECT_TRUE(facts().contains("remembered"));

    ASSERT_TRUE(reopens(path));
    EXPECT_EQ(heads(), 5);
    EXPECT_EQ(window().model().decidedBy(), DecidedBy::Memory);
    window().model().reload();
    EXPECT_TRUE(waitUntil([&] { return window().model().pump().idle() || dialog() != nullptr; }));
    EXPECT_EQ(dialog(), nullptr);
    EXPECT_EQ(heads(), 5);
}

TEST_F(ReadingDialogsTest, QuestionsAreAnsweredByKeysOneAfterTheOther) {
    const QString path = copied("asks_square_bits.h5");
    MappingDialog& mapping = asked(path);
    EXPECT_TRUE(mapping.cards()[0]->words().contains("Another question"));
    QTest::keyClick(&mapping, Qt::Key_2);
    EXPECT_TRUE(mapping.cards()[1]->button()->isChecked());
    QTest::keyClick(mapping.cards()[1]->button(), Qt::Key_Right);  // there is none
    EXPECT_TRUE(mapping.cards()[1]->button()->isChecked());
    QTest::keyClick(mapping.cards()[1]->button(), Qt::Key_Left);
    EXPECT_TRUE(mapping.cards()[0]->button()->isChecked());
    EXPECT_EQ(mapping.focusWidget(), mapping.cards()[0]->button());
    EXPECT_TRUE(mapping.backButton()->isHidden());
    QTest::keyClick(&mapping, Qt::Key_Return);
    ASSERT_TRUE(waitUntil([&] { return mapping.question().contains("uint16") && !mapping.isPreviewing(); }));
    EXPECT_TRUE(mapping.decided().contains("--axes 'prompt head pos dim'"));
    ASSERT_EQ(mapping.cards().size(), 3U);

    QTest::mouseClick(mapping.backButton(), Qt::LeftButton);
    EXPECT_TRUE(mapping.question().contains("axes"));
    EXPECT_TRUE(mapping.decided().isEmpty());
    QTest::keyClick(&mapping, Qt::Key_2);
    QTest::keyClick(&mapping, Qt::Key_Return);
    ASSERT_TRUE(waitUntil([&] { return mapping.question().contains("uint16") && !mapping.isPreviewing(); }));
    EXPECT_TRUE(mapping.decided().contains("--axes 'prompt pos head dim'"));
    QTest::keyClick(&mapping, Qt::Key_1);
    EXPECT_TRUE(mapping.command().contains("--encoding bf16"));
    QTest::keyClick(&mapping, Qt::Key_Return);
    ASSERT_TRUE(waitUntil([&] { return isOpen(path); }));
    EXPECT_EQ(heads(), 5);
    EXPECT_EQ(window().model().workspace().info().layers.front().encoding, "bf16");
}

TEST_F(ReadingDialogsTest, EnterDoesNothingBeforeAChoiceAndEscapeLeavesTheOpenDump) {
    openSample();
    choose(15, 4);
    const QString path = copied("asks_square.h5");
    MappingDialog& mapping = asked(path);
    QTest::keyClick(&mapping, Qt::Key_Return);
    EXPECT_TRUE(mapping.isVisible());
    QTest::keyClick(&mapping, Qt::Key_Tab);
    EXPECT_EQ(mapping.focusWidget(), mapping.cards()[0]->button());
    EXPECT_FALSE(mapping.readButton()->isEnabled());  // to stand on one is not to choose it
    QTest::keyClick(mapping.focusWidget(), Qt::Key_Space);
    EXPECT_TRUE(mapping.readButton()->isEnabled());
    QTest::keyClick(&mapping, Qt::Key_Escape);
    ASSERT_TRUE(waitUntil([this] { return dialog() == nullptr; }));
    EXPECT_TRUE(isOpen(sample()));
    EXPECT_EQ(window().model().choice(), headOf(15, 4));
    EXPECT_TRUE(window().banner().sentence().isEmpty());
    EXPECT_FALSE(reopens(path));  // nothing was decided
}

TEST_F(ReadingDialogsTest, AFactorIsGivenByThePerson) {
    const QString path = copied("asks_integers.h5");
    MappingDialog& mapping = asked(path);
    QTest::keyClick(&mapping, Qt::Key_3);
    EXPECT_FALSE(mapping.readButton()->isEnabled());
    QLineEdit* field = mapping.cards()[2]->numberField();
    ASSERT_NE(field, nullptr);
    QTest::keyClicks(field, "0");
    EXPECT_FALSE(mapping.readButton()->isEnabled());
    QTest::keyClicks(field, ".125");
    EXPECT_TRUE(mapping.cards()[2]->button()->isChecked());  // its digits chose nothing else
    EXPECT_TRUE(mapping.command().contains("--scale-factor 0.125"));
    QTest::keyClick(field, Qt::Key_Return);
    ASSERT_TRUE(waitUntil([&] { return isOpen(path); }));
}

TEST_F(ReadingDialogsTest, TheStoredOutputChoosesBeforehand) {
    MappingDialog& mapping = asked(copied("asks_output.h5"));
    EXPECT_TRUE(mapping.cards()[0]->button()->isChecked());
    EXPECT_TRUE(mapping.readButton()->isEnabled());
}

TEST_F(ReadingDialogsTest, NamesOfTheFileAreTextInTheDialog) {
    const QString path = copied("asks_hostile_names.h5");
    MappingDialog& mapping = asked(path);
    EXPECT_TRUE(mapping.cards()[0]->button()->text().contains("/run <b>\\x0a&&\\x1b[31m/layer_4/q"));
    for (const QLabel* label : mapping.findChildren<QLabel*>()) {
        EXPECT_EQ(label->textFormat(), Qt::PlainText) << label->text().toStdString();
        EXPECT_FALSE(label->text().contains('\x1b'));
    }
    QTest::keyClick(&mapping, Qt::Key_1);
    EXPECT_TRUE(mapping.command().contains("--map $'q=/run <b>\\x0a&\\x1b[31m/layer_4/q'"))
        << mapping.command().toStdString();
    QTest::keyClick(&mapping, Qt::Key_Return);
    ASSERT_TRUE(waitUntil([&] { return isOpen(path); }));
    ASSERT_TRUE(reopens(path));
}

TEST_F(ReadingDialogsTest, AMovedFileIsKnownAChangedOneAsksAgain) {
    const QString path = copied("asks_square.h5");
    ASSERT_TRUE(opensAsSecond(path));
    const QString moved = folder_.filePath("moved.h5");
    ASSERT_TRUE(QFile::rename(path, moved));
    EXPECT_TRUE(reopens(moved));
    EXPECT_EQ(heads(), 5);
    QFile file(moved);
    ASSERT_TRUE(file.open(QIODevice::ReadWrite));
    QByteArray content = file.readAll();
    const auto number = content.indexOf(QByteArray("\x00\x00\x70\xc0", 4));  // -3.75, the first one stored
    ASSERT_GE(number, 0);
    content[number + 2] = 0x71;
    file.seek(0);
    file.write(content);
    file.close();
    EXPECT_FALSE(reopens(moved));
}

TEST_F(ReadingDialogsTest, TheReadingIsShownOverriddenAndForgotten) {
    const QString path = copied("asks_square.h5");
    ASSERT_TRUE(opensAsSecond(path));
    ReadingDialog* reading = openReading();
    ASSERT_NE(reading, nullptr);
    EXPECT_TRUE(reading->notes().join('\n').contains("prompt pos head dim"));
    auto* scale = qobject_cast<QLineEdit*>(reading->field("--scale"));
    ASSERT_NE(scale, nullptr);
    QTest::keyClicks(scale, "two");
    QTest::mouseClick(reading->readButton(), Qt::LeftButton);
    EXPECT_TRUE(reading->failure().contains("--scale 'two'"));
    QTest::keyClick(scale, Qt::Key_A, Qt::ControlModifier);
    QTest::keyClicks(scale, "2.5");
    EXPECT_TRUE(reading->failure().isEmpty());
    EXPECT_EQ(reading->command(), "--axes 'prompt pos head dim' --scale 2.5");
    QTest::keyClick(scale, Qt::Key_Return);
    ASSERT_TRUE(waitUntil([this] { return window().model().workspace().info().layers.front().scale == 2.5; }));
    ASSERT_TRUE(reopens(path));
    EXPECT_EQ(window().model().workspace().info().layers.front().scale, 2.5);
    EXPECT_EQ(heads(), 5);

    reading = openReading();
    QTest::mouseClick(reading->forgetButton(), Qt::LeftButton);
    ASSERT_TRUE(waitUntil([this] { return !window().model().isRemembered(); }));
    EXPECT_FALSE(reading->forgetButton()->isEnabled());
    QTest::keyClick(reading, Qt::Key_Escape);
    EXPECT_EQ(heads(), 5);  // the open dump stays as it is
    EXPECT_FALSE(facts().contains("remembered"));
    EXPECT_FALSE(reopens(path));
}

TEST_F(ReadingDialogsTest, WhatTheCommandLineDecidedIsForThisTime) {
    const QString path = copied("asks_square.h5");
    io::ReadingDecisions decisions;
    decisions.attributes["axes"] = std::string("prompt head pos dim");
    window().read({pathOf(path), decisions, DecidedBy::CommandLine, {}});
    ASSERT_TRUE(waitUntil([&] { return isOpen(path); }));
    EXPECT_EQ(heads(), 4);
    EXPECT_FALSE(window().model().isRemembered());
    EXPECT_TRUE(facts().contains("as decided"));
    window().model().reload();
    ASSERT_TRUE(waitUntil([this] { return window().model().pump().idle() || dialog() != nullptr; }));
    EXPECT_EQ(dialog(), nullptr);
    EXPECT_FALSE(reopens(path));
}

TEST_F(ReadingDialogsTest, BothDialogsFollowTheTheme) {
    MappingDialog& mapping = asked(copied("asks_square.h5"));
    for (const ThemeChoice theme : {ThemeChoice::Dark, ThemeChoice::Light}) {
        appearance().choose(theme);
        QTest::qWait(20);
        const QColor ground = mapping.grab().toImage().pixelColor(3, 3);
        const QColor card = mapping.cards()[0]->grab().toImage().pixelColor(6, 6);
        EXPECT_EQ(ground.lightness() < 128, theme == ThemeChoice::Dark);
        EXPECT_EQ(card.lightness() < 128, theme == ThemeChoice::Dark);
    }
}

}  // namespace
}  // namespace dimscope::app
