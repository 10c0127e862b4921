// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/figure/rich_text.h"

#include <QFontMetricsF>
#include <QPainter>
#include <array>

#include "io/figure/figure_theme.h"

namespace dimscope::io {
namespace {

constexpr double kHalfCapital = 0.364;  // of the font size: from the baseline to the middle of a capital
constexpr double kAscent = 0.76, kDescent = 0.24;
constexpr int kIndexSmaller = 2;      // indices are this much smaller
constexpr double kIndexLower = 0.23;  // and this part of the font size lower

}  // namespace

RichText::RichText(const std::string& text, const FigureTheme& theme, bool bold) : em_(theme.em(1.0)) {
    const QString source = QString::fromStdString(text);
    bool italic = false, lowered = false;
    QString pending;
    const auto flush = [&] {
        if (!pending.isEmpty()) addRun(pending, theme, bold, italic, lowered);
        pending.clear();
    };
    struct Tag {
        QLatin1String text;
        bool* flag;
        bool value;
    };
    const std::array tags{Tag{QLatin1String("<i>"), &italic, true}, Tag{QLatin1String("</i>"), &italic, false},
                          Tag{QLatin1String("<sub>"), &lowered, true}, Tag{QLatin1String("</sub>"), &lowered, false}};
    for (qsizetype i = 0; i < source.size();) {
        const Tag* found = nullptr;
        for (const Tag& tag : tags)
            if (QStringView(source).sliced(i).startsWith(tag.text)) found = &tag;
        if (found) {
            flush();
            *found->flag = found->value;
            i += found->text.size();
        } else {
            pending += source[i++];
        }
    }
    flush();
}

void RichText::addRun(const QString& text, const FigureTheme& theme, bool bold, bool italic, bool lowered) {
    Run run{text, figureFont(theme, bold, italic), width_, 0.0};
    if (lowered) {
        run.font.setPixelSize(theme.fontSize - kIndexSmaller);
        run.down = theme.em(kIndexLower);
    }
    width_ += QFontMetricsF(run.font).horizontalAdvance(text);
    runs_.push_back(std::move(run));
}

QRectF RichText::rect(double left, double middle) const {
    const double baseline = middle + kHalfCapital * em_;
    return {left, baseline - kAscent * em_, width_, (kAscent + kDescent) * em_};
}

void RichText::draw(QPainter& painter, double left, double middle, const QColor& colour) const {
    painter.setPen(colour);
    for (const Run& run : runs_) {
        painter.setFont(run.font);
        painter.drawText(QPointF(left + run.x, middle + kHalfCapital * em_ + run.down), run.text);
    }
}

}  // namespace dimscope::io
