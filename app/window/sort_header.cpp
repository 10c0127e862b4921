// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/sort_header.h"

#include <QPainter>

#include "app/window/appearance.h"

namespace dimscope::app {
namespace {

constexpr int kHeaderPadding = 6, kTriangleRoom = 10;

}  // namespace

SortHeader::SortHeader(const Appearance& appearance, QWidget* parent)
    : QHeaderView(Qt::Horizontal, parent), appearance_(appearance) {
    setHighlightSections(false);
    setSectionsClickable(true);
    setStretchLastSection(false);
    setMinimumSectionSize(20);
}

QSize SortHeader::sizeHint() const { return {QHeaderView::sizeHint().width(), 24}; }

void SortHeader::paintSection(QPainter* painter, const QRect& rect, int section) const {
    const Colours& colours = appearance_.colours();
    const QString title = model()->headerData(section, Qt::Horizontal).toString();
    const bool sorted = isSortIndicatorShown() && sortIndicatorSection() == section && !title.isEmpty();
    painter->save();
    QFont small = font();
    small.setPixelSize(11);
    small.setBold(sorted);
    painter->setFont(small);
    painter->setPen(sorted ? colours.text : colours.secondary);
    const auto alignment = Qt::Alignment(model()->headerData(section, Qt::Horizontal, Qt::TextAlignmentRole).toInt());
    QRect room = rect.adjusted(kHeaderPadding, 0, -kHeaderPadding, 0);
    if (sorted) room.adjust(0, 0, -kTriangleRoom, 0);
    painter->drawText(room, static_cast<int>(alignment), title);
    if (sorted) {
        const int width = painter->fontMetrics().horizontalAdvance(title);
        const int end = alignment & Qt::AlignRight ? room.right() : std::min(room.left() + width, room.right());
        paintTriangle(*painter, QPointF(end + kTriangleRoom * 0.6, rect.center().y() + 0.5),
                      sortIndicatorOrder() == Qt::AscendingOrder);
    }
    painter->fillRect(QRect(rect.left(), rect.bottom(), rect.width(), 1), colours.figure.axis);
    painter->restore();
}

void SortHeader::paintTriangle(QPainter& painter, QPointF middle, bool ascending) const {
    const double up = ascending ? -2.0 : 2.0;
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(appearance_.colours().text);
    painter.drawPolygon(
        QPolygonF({middle + QPointF(-3.0, -up), middle + QPointF(3.0, -up), middle + QPointF(0.0, up)}));
}

}  // namespace dimscope::app
