// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/cell_delegate.h"

#include <QPainter>

#include "app/window/appearance.h"
#include "app/window/data_table.h"

namespace dimscope::app {
namespace {

constexpr int kCellPadding = 6;
constexpr double kShareWidth = 36.0, kShareHeight = 7.0;

double advanceOf(const QFontMetricsF& metrics, QChar c) {
    return c.isDigit() ? metrics.horizontalAdvance('0') : metrics.horizontalAdvance(c);
}

}  // namespace

double tabularWidth(const QFontMetricsF& metrics, const QString& text) {
    double width = 0.0;
    for (const QChar c : text) width += advanceOf(metrics, c);
    return width;
}

void paintTabular(QPainter& painter, const QRectF& rect, const QString& text, bool right) {
    const QFontMetricsF metrics(painter.font());
    double x = right ? rect.right() - tabularWidth(metrics, text) : rect.left();
    const double baseline = rect.center().y() + metrics.capHeight() / 2.0;
    for (const QChar c : text) {
        const double cell = advanceOf(metrics, c);
        painter.drawText(QPointF(x + (cell - metrics.horizontalAdvance(c)) / 2.0, baseline), QString(c));
        x += cell;
    }
}

CellDelegate::CellDelegate(const Appearance& appearance, DataTable& table)
    : QStyledItemDelegate(&table), appearance_(appearance), table_(table) {}

void CellDelegate::paintGround(QPainter& painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const Colours& colours = appearance_.colours();
    if ((option.state & QStyle::State_Selected) || (marked_ && marked_(index)))
        painter.fillRect(option.rect, colours.selectedRow);
    else if (index.row() == table_.hoveredRow())
        painter.fillRect(option.rect, colours.brushBand);
    painter.fillRect(QRectF(option.rect.left(), option.rect.bottom(), option.rect.width(), 1.0), colours.hairline);
}

void CellDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const CellLook look = look_ ? look_(index) : CellLook{};
    painter->save();
    paintGround(*painter, option, index);
    QFont font = option.font;
    font.setBold(look.bold);
    painter->setFont(font);
    painter->setPen(look.colour.isValid() ? look.colour : appearance_.colours().text);
    const QString text = index.data().toString();
    const bool right = Qt::Alignment(index.data(Qt::TextAlignmentRole).toInt()).testFlag(Qt::AlignRight);
    QRectF room = QRectF(option.rect).adjusted(kCellPadding, 0, -kCellPadding, -1);
    if (look.bar) {
        const double width = kShareWidth * std::clamp(*look.bar, 0.0, 1.0);
        painter->fillRect(QRectF(room.left(), std::floor(room.center().y() - kShareHeight / 2.0), width, kShareHeight),
                          look.barColour);
    }
    if (right)
        paintTabular(*painter, room, text, true);
    else
        painter->drawText(room, Qt::AlignLeft | Qt::AlignVCenter,
                          painter->fontMetrics().elidedText(text, Qt::ElideRight, static_cast<int>(room.width())));
    painter->restore();
}

QSize CellDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const CellLook look = look_ ? look_(index) : CellLook{};
    QFont font = option.font;
    font.setBold(look.bold);
    const double text = tabularWidth(QFontMetricsF(font), index.data().toString());
    return {static_cast<int>(text + 2 * kCellPadding + (look.bar ? kShareWidth + 8 : 0) + 1), table_.rowHeight()};
}

}  // namespace dimscope::app
