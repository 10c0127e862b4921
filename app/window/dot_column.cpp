// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/dot_column.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "app/window/appearance.h"
#include "app/window/data_table.h"
#include "app/window/kernel_table_model.h"
#include "app/window/qt_text.h"
#include "io/axis_ticks.h"
#include "io/figure/mark_painter.h"

namespace dimscope::app {
namespace {

constexpr double kAxisMargin = 10.0, kMeanRadius = 4.5, kSeedRadius = 2.5;
constexpr double kTickRoom = 44.0;  // of the longest label and a gap
constexpr int kNameIndent = 16;

double xOf(const DotScale& scale, double value, const QRectF& cell) {
    return cell.left() + kAxisMargin + scale.place(value) * (cell.width() - 2.0 * kAxisMargin);
}

bool onAxis(const DotScale& scale, double value) { return value >= scale.from && value <= scale.to; }

io::AxisMap mapOf(const DotScale& scale, double left, double width) {
    analysis::Axis axis;
    axis.scale = analysis::AxisScale::Log;
    axis.from = scale.from;
    axis.to = scale.to;
    return io::axisMap(axis, left + kAxisMargin, left + width - kAxisMargin);
}

std::vector<io::Tick> ticksOf(const io::AxisMap& map) {
    analysis::Axis axis;
    axis.scale = analysis::AxisScale::Log;
    return io::axisTicks(axis, map, std::clamp(static_cast<int>((map.end - map.start) / kTickRoom), 2, 8));
}

QFont chartFont(const QFont& from) {
    QFont font = from;
    font.setPixelSize(11);
    return font;
}

}  // namespace

DotDelegate::DotDelegate(const Appearance& appearance, DataTable& table, const KernelTableModel& rows,
                         SharedScale scale)
    : CellDelegate(appearance, table), rows_(rows), scale_(std::move(scale)) {}

void DotDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    if (index.column() == KernelTableModel::Kernel) return paintName(*painter, option, index);
    if (index.column() != KernelTableModel::Dots) return CellDelegate::paint(painter, option, index);
    painter->save();
    paintGround(*painter, option, index);
    painter->setClipRect(option.rect);
    paintDots(*painter, QRectF(option.rect), rows_.row(index.row()));
    painter->restore();
}

void DotDelegate::paintName(QPainter& painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    painter.save();
    paintGround(painter, option, index);
    painter.restore();
    QStyleOptionViewItem text = option;
    text.rect.adjust(kNameIndent, 0, 0, 0);  // room for the marker
    CellDelegate::paint(&painter, text, index);
    const io::FigureTheme& theme = appearance().colours().figure;
    const io::KernelStyle style = io::kernelStyle(rows_.row(index.row()).name, theme);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    io::paintMarker(painter, QPointF(option.rect.left() + 11.5, option.rect.center().y() + 0.5), kMeanRadius,
                    style.shape, style.filled, style.colour, theme);
    painter.restore();
}

void DotDelegate::paintDots(QPainter& painter, const QRectF& cell, const KernelRow& row) const {
    const Colours& colours = appearance().colours();
    const io::AxisMap map = mapOf(*scale_, cell.left(), cell.width());
    for (const io::Tick& tick : ticksOf(map))
        painter.fillRect(QRectF(std::round(map.position(tick.value)), cell.top(), 1.0, cell.height()),
                         colours.figure.grid);
    QPen dashed(colours.figure.secondary, 1.0, Qt::CustomDashLine, Qt::FlatCap);
    dashed.setDashPattern({4.0, 3.0});
    dashed.setDashOffset(std::fmod(cell.top(), 7.0));  // dashes run on from row to row
    painter.setPen(dashed);
    for (const auto& [name, value] : scale_->references) {
        const double x = std::floor(xOf(*scale_, value, cell)) + 0.5;
        painter.drawLine(QPointF(x, cell.top()), QPointF(x, cell.bottom()));
    }
    if (row.name == "softmax" || row.relMse == 0.0) return paintWords(painter, cell, tr("exact: 0"));
    if (!std::isfinite(row.relMse)) return paintWords(painter, cell, tr("undefined"));
    if (!onAxis(*scale_, row.relMse)) return paintOffAxis(painter, cell, row);
    const io::KernelStyle style = io::kernelStyle(row.name, colours.figure);
    const double y = std::floor(cell.center().y()) + 0.5;
    painter.setRenderHint(QPainter::Antialiasing);
    double least = row.relMse, most = row.relMse;
    for (const double seed : row.seeds)
        if (std::isfinite(seed)) {
            least = std::max(scale_->from, std::min(least, seed));
            most = std::min(scale_->to, std::max(most, seed));
        }
    painter.setPen(QPen(style.colour, 1.4));
    painter.drawLine(QPointF(xOf(*scale_, least, cell), y), QPointF(xOf(*scale_, most, cell), y));
    if (row.seeds.size() > 1)
        for (const double seed : row.seeds)
            if (onAxis(*scale_, seed))
                io::paintMarker(painter, QPointF(xOf(*scale_, seed, cell), y), kSeedRadius, style.shape, style.filled,
                                style.colour, colours.figure);
    io::paintMarker(painter, QPointF(xOf(*scale_, row.relMse, cell), y), kMeanRadius + 0.5, style.shape, style.filled,
                    style.colour, colours.figure);
}

void DotDelegate::paintWords(QPainter& painter, const QRectF& cell, const QString& words) const {
    painter.setFont(chartFont(painter.font()));
    painter.setPen(appearance().colours().secondary);
    painter.drawText(cell.adjusted(kAxisMargin, 0, 0, -1), Qt::AlignLeft | Qt::AlignVCenter, words);
}

void DotDelegate::paintOffAxis(QPainter& painter, const QRectF& cell, const KernelRow& row) const {
    const QString number = qt(analysis::displayText(row.relMse));
    const bool above = row.relMse > scale_->to;
    painter.setFont(chartFont(painter.font()));
    painter.setPen(appearance().colours().secondary);
    const Qt::Alignment alignment = Qt::AlignVCenter | (above ? Qt::AlignRight : Qt::AlignLeft);
    painter.drawText(cell.adjusted(4, 0, -4, -1), static_cast<int>(alignment), above ? number + " ▶" : "◀ " + number);
}

DotHeader::DotHeader(const Appearance& appearance, SharedScale scale, QWidget* parent)
    : SortHeader(appearance, parent), scale_(std::move(scale)) {}

void DotHeader::paintSection(QPainter* painter, const QRect& rect, int section) const {
    SortHeader::paintSection(painter, rect, section);
    if (section != KernelTableModel::Dots) return;
    painter->save();
    painter->setFont(chartFont(font()));
    double free = rect.left();  // labels go from left to right and never over one another
    auto references = scale_->references;
    std::sort(references.begin(), references.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    for (const auto& [name, value] : references) {
        const double x = std::floor(xOf(*scale_, value, QRectF(rect))) + 0.5;
        painter->setPen(appearance().colours().secondary);
        painter->drawLine(QPointF(x, rect.top() + 5), QPointF(x, rect.bottom()));
        const double width = painter->fontMetrics().horizontalAdvance(qt(name));
        double left = x - width - 5.0;
        if (left < free) left = x + 5.0;
        if (left < free || left + width > rect.right()) continue;
        painter->drawText(QRectF(left, rect.top(), width + 1.0, rect.height()), Qt::AlignLeft | Qt::AlignVCenter,
                          qt(name));
        free = left + width + 6.0;
    }
    painter->restore();
}

DotAxis::DotAxis(const Appearance& appearance, SharedScale scale, QWidget* parent)
    : QWidget(parent), appearance_(appearance), scale_(std::move(scale)) {
    setFixedHeight(34);
    connect(&appearance_, &Appearance::changed, this, [this] { update(); });
}

void DotAxis::setColumn(int left, int width) {
    left_ = left;
    width_ = width;
    update();
}

void DotAxis::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Colours& colours = appearance_.colours();
    painter.setFont(chartFont(font()));
    const io::AxisMap map = mapOf(*scale_, left_, width_);
    painter.fillRect(QRectF(left_ + kAxisMargin, 0.0, width_ - 2.0 * kAxisMargin, 1.0), colours.figure.axis);
    painter.setPen(colours.secondary);
    for (const io::Tick& tick : ticksOf(map)) {
        const double x = std::round(map.position(tick.value));
        painter.fillRect(QRectF(x, 0.0, 1.0, 4.0), colours.figure.axis);
        painter.drawText(QRectF(x - 40.0, 4.0, 80.0, 14.0), Qt::AlignCenter, qt(tick.label));
    }
    painter.drawText(QRectF(left_, 18.0, width_, 14.0), Qt::AlignCenter, tr("RelMSE, log scale"));
}

}  // namespace dimscope::app
