// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/head_matrix.h"

#include <QTest>

#include "app/window/appearance.h"
#include "tests/app/window_fixture.h"

namespace dimscope::app {
namespace {

class HeadMatrixTest : public testing::Test {
protected:
    HeadMatrixTest() : appearance_(*qApp), matrix_(appearance_) {
        std::vector<analysis::LayerInfo> layers;
        for (const int number : {5, 15, 25}) {
            analysis::LayerInfo layer;
            layer.layer = analysis::LayerIndex{number};
            layer.nHeads = 9;
            layer.nKvHeads = 3;
            layers.push_back(layer);
        }
        matrix_.setLayers(layers);
        matrix_.resize(248, 200);
        QObject::connect(&matrix_, &HeadMatrix::chosen, &matrix_, [this](HeadChoice head) {
            chosen_ = head;
            matrix_.setChosen(head);
        });
    }

    Appearance appearance_;
    HeadMatrix matrix_;
    std::optional<HeadChoice> chosen_;
};

TEST_F(HeadMatrixTest, aClickChoosesTheHeadUnderThePointer) {
    QTest::mouseClick(&matrix_, Qt::LeftButton, {}, matrix_.cellRect(headOf(15, 4)).center());
    EXPECT_EQ(chosen_, headOf(15, 4));
}

TEST_F(HeadMatrixTest, arrowKeysMoveAndStopAtTheBorder) {
    matrix_.setChosen(headOf(5, 0));
    QTest::keyClick(&matrix_, Qt::Key_Right);
    EXPECT_EQ(chosen_, headOf(5, 1));
    QTest::keyClick(&matrix_, Qt::Key_Down);
    EXPECT_EQ(chosen_, headOf(15, 1));
    QTest::keyClick(&matrix_, Qt::Key_Up);
    QTest::keyClick(&matrix_, Qt::Key_Up);
    EXPECT_EQ(chosen_, headOf(5, 1));
    QTest::keyClick(&matrix_, Qt::Key_Left);
    QTest::keyClick(&matrix_, Qt::Key_Left);
    EXPECT_EQ(chosen_, headOf(5, 0));
}

TEST_F(HeadMatrixTest, enterOpensTheChosenHead) {
    std::optional<HeadChoice> activated;
    QObject::connect(&matrix_, &HeadMatrix::activated, &matrix_, [&](HeadChoice head) { activated = head; });
    QTest::keyClick(&matrix_, Qt::Key_Return);
    EXPECT_FALSE(activated);
    matrix_.setChosen(headOf(25, 8));
    QTest::keyClick(&matrix_, Qt::Key_Return);
    EXPECT_EQ(activated, headOf(25, 8));
}

TEST_F(HeadMatrixTest, headsOfOneKvGroupStandTogether) {
    const int inside = matrix_.cellRect(headOf(5, 1)).left() - matrix_.cellRect(headOf(5, 0)).right();
    const int between = matrix_.cellRect(headOf(5, 3)).left() - matrix_.cellRect(headOf(5, 2)).right();
    EXPECT_EQ(between, inside + 2);
    EXPECT_EQ(matrix_.cellRect(headOf(5, 0)).size(), QSize(21, 12));
    EXPECT_TRUE(matrix_.cellRect(headOf(6, 0)).isEmpty());
}

TEST_F(HeadMatrixTest, cellsAreColouredOnceTheirValueIsThere) {
    matrix_.setRange(0.0, 1.0);
    matrix_.setValue(headOf(15, 4), 1.0);
    const QImage image = matrix_.grab().toImage();
    const auto colourAt = [&](HeadChoice head) { return image.pixelColor(matrix_.cellRect(head).center()); };
    EXPECT_GT(colourAt(headOf(15, 4)).red(), 230);  // the bright end of cividis is yellow
    EXPECT_LT(colourAt(headOf(15, 4)).blue(), 120);
    EXPECT_EQ(colourAt(headOf(15, 5)), appearance_.colours().hairline);
}

}  // namespace
}  // namespace dimscope::app
