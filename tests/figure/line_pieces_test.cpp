// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/figure/line_pieces.h"

#include <gtest/gtest.h>

#include <cmath>

#include "io/figure/figure_layout.h"

namespace dimscope::io {
namespace {

PanelGeometry square(bool logY) {
    PanelGeometry panel;
    panel.plot = QRectF(0, 0, 100, 100);
    panel.x = {0.0, 10.0, 0.0, 100.0, false, 0.0};
    panel.y = {logY ? 0.1 : 0.0, 10.0, 100.0, 0.0, logY, 0.0};
    return panel;
}

std::vector<std::size_t> sizes(const std::vector<std::vector<QPointF>>& pieces) {
    std::vector<std::size_t> result;
    for (const auto& piece : pieces) result.push_back(piece.size());
    return result;
}

TEST(LinePieces, NanBreaksTheLine) {
    analysis::Line line;
    line.points = {{0, 1}, {1, 2}, {2, std::nan("")}, {3, 4}, {4, 5}, {5, 6}};
    EXPECT_EQ(sizes(linePieces(line, square(false))), (std::vector<std::size_t>{2, 3}));
}

TEST(LinePieces, ValueWithoutPlaceOnALogAxisTakesOnlyItselfAway) {
    analysis::Line line;
    line.points = {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, -1}, {5, 1}, {6, 2}};
    EXPECT_EQ(sizes(linePieces(line, square(true))), (std::vector<std::size_t>{2, 2}));
}

TEST(LinePieces, PartsOutsideThePlotAreCutAtItsBorder) {
    analysis::Line line;
    line.points = {{0, 5}, {2, 15}, {4, 5}};
    const auto pieces = linePieces(line, square(false));
    ASSERT_EQ(sizes(pieces), (std::vector<std::size_t>{2, 2}));
    EXPECT_NEAR(pieces[0].back().x(), 10.0, 1e-9);
    EXPECT_NEAR(pieces[0].back().y(), 0.0, 1e-9);
    EXPECT_NEAR(pieces[1].front().x(), 30.0, 1e-9);
}

TEST(LinePieces, OnePointIsNoLine) {
    analysis::Line line;
    line.points = {{1, 1}};
    EXPECT_TRUE(linePieces(line, square(false)).empty());
}

}  // namespace
}  // namespace dimscope::io
