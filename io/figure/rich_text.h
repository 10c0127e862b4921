// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QFont>
#include <QPointF>
#include <QRectF>
#include <QString>
#include <string>
#include <vector>

class QPainter;

namespace dimscope::io {

struct FigureTheme;

/// One line of text with <i> and <sub>, measured and ready to be drawn.
class RichText {
public:
    RichText(const std::string& text, const FigureTheme& theme, bool bold = false);

    double width() const { return width_; }
    bool empty() const { return runs_.empty(); }
    /// Where the letters stand: \p left and \p middle of the line, without the room for accents.
    QRectF rect(double left, double middle) const;
    void draw(QPainter& painter, double left, double middle, const QColor& colour) const;

private:
    struct Run {
        QString text;
        QFont font;
        double x = 0.0, down = 0.0;
    };
    void addRun(const QString& text, const FigureTheme& theme, bool bold, bool italic, bool lowered);

    std::vector<Run> runs_;
    double width_ = 0.0, em_ = 0.0;
};

}  // namespace dimscope::io
