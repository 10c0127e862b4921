// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/dot_column.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "analysis/table.h"
#include "app/window/appearance.h"
#include "app/window/data_table.h"
#include "app/window/qt_text.h"
#include "io/axis_ticks.h"
#include "io/figure/mark_painter.h"
#include "io/figure/rich_text.h"

namespace dimscope::app {
namespace {

constexpr double kAxisMargin = 10.0, kNameRadius = 4.5;
constexpr double kTickRoom = 44.0;  // of the longest label and a gap
constexpr int kNameIndent = 16;

double placeIn(const DotScale& scale, double value, const QRectF& cell) {
    return cell.left() + kAxisMargin + scale.place(value) * (cell.width() - 2.0 * kAxisMargin);
}

analysis::Axis axisOf(const DotScale& scale) {
    analysis::Axis axis;
    axis.scale = analysis::AxisScale::Log;
    axis.format = scale.format;
    axis.from = scale.from;
    axis.to = scale.to;
    return axis;
}

io::AxisMap mapOf(const DotScale& scale, double left, double width) {
    return io::axisMap(axisOf(scale), left + kAxisMargin, left + width - kAxisMargin);
}

std::vector<io::Tick> ticksOf(const DotScale& scale, const io::AxisMap& map) {
    return io::axisTicks(axisOf(scale), map, std::clamp(static_cast<int>((map.end - map.start) / kTickRoom), 2, 8));
}

QFont chartFont(const QFont& from) {
    QFont font = from;
    font.setPixelSize(11);
    return font;
}

}  // namespace

DotDelegate::DotDelegate(const Appearance& appearance, DataTable& table, SharedScale scale, Columns columns)
    : CellDelegate(appearance, table), scale_(std::move(scale)), columns_(columns) {}

void DotDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    if (index.column() == columns_.name) return paintName(*painter, option, index);
    if (index.column() != columns_.dots) return CellDelegate::paint(painter, option, index);
    painter->save();
    paintGround(*painter, option, index);
    painter->setClipRect(option.rect);
    paintGrid(*painter, QRectF(option.rect));
    paintDots(*painter, QRectF(option.rect), index.row());
    painter->restore();
}

io::KernelStyle DotDelegate::styleOf(int row) const {
    return io::kernelStyle(kernelOf(row), appearance().colours().figure);
}

double DotDelegate::xOf(double value, const QRectF& cell) const { return placeIn(*scale_, value, cell); }

void DotDelegate::paintName(QPainter& painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    painter.save();
    paintGround(painter, option, index);
    painter.restore();
    QStyleOptionViewItem text = option;
    text.rect.adjust(kNameIndent, 0, 0, 0);  // room for the marker
    CellDelegate::paint(&painter, text, index);
    const io::KernelStyle style = styleOf(index.row());
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    io::paintMarker(painter, QPointF(option.rect.left() + 11.5, option.rect.center().y() + 0.5), kNameRadius,
                    style.shape, style.filled, style.colour, appearance().colours().figure);
    painter.restore();
}

void DotDelegate::paintGrid(QPainter& painter, const QRectF& cell) const {
    const io::FigureTheme& theme = appearance().colours().figure;
    const io::AxisMap map = mapOf(*scale_, cell.left(), cell.width());
    for (const io::Tick& tick : ticksOf(*scale_, map))
        painter.fillRect(QRectF(std::round(map.position(tick.value)), cell.top(), 1.0, cell.height()), theme.grid);
    QPen dashed(theme.secondary, 1.0, Qt::CustomDashLine, Qt::FlatCap);
    dashed.setDashPattern({4.0, 3.0});
    dashed.setDashOffset(std::fmod(cell.top(), 7.0));  // dashes run on from row to row
    painter.setPen(dashed);
    for (const auto& [name, value] : scale_->references) {
        const double x = std::floor(xOf(value, cell)) + 0.5;
        painter.drawLine(QPointF(x, cell.top()), QPointF(x, cell.bottom()));
    }
}

void DotDelegate::paintWords(QPainter& painter, const QRectF& cell, const QString& words) const {
    painter.setFont(chartFont(painter.font()));
    painter.setPen(appearance().colours().secondary);
    painter.drawText(cell.adjusted(kAxisMargin, 0, 0, -1), Qt::AlignLeft | Qt::AlignVCenter, words);
}

void DotDelegate::paintOffAxis(QPainter& painter, const QRectF& cell, double value) const {
    const QString number = qt(analysis::displayText(value));
    const bool above = value > scale_->to;
    painter.setFont(chartFont(painter.font()));
    painter.setPen(appearance().colours().secondary);
    const Qt::Alignment alignment = Qt::AlignVCenter | (above ? Qt::AlignRight : Qt::AlignLeft);
    painter.drawText(cell.adjusted(4, 0, -4, -1), static_cast<int>(alignment), above ? number + " ▶" : "◀ " + number);
}

DotHeader::DotHeader(const Appearance& appearance, SharedScale scale, int dotsColumn, QWidget* parent)
    : SortHeader(appearance, parent), scale_(std::move(scale)), dotsColumn_(dotsColumn) {}

void DotHeader::paintSection(QPainter* painter, const QRect& rect, int section) const {
    SortHeader::paintSection(painter, rect, section);
    if (section != dotsColumn_) return;
    painter->save();
    painter->setFont(chartFont(font()));
    painter->setPen(appearance().colours().secondary);
    paintReferences(*painter, rect);
    paintNames(*painter, rect);
    painter->restore();
}

void DotHeader::paintReferences(QPainter& painter, const QRect& rect) const {
    double free = rect.left();  // labels go from left to right and never over one another
    auto references = scale_->references;
    std::sort(references.begin(), references.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    for (const auto& [name, value] : references) {
        if (name.empty()) continue;  // the axis says what it is
        const double x = std::floor(placeIn(*scale_, value, QRectF(rect))) + 0.5;
        painter.drawLine(QPointF(x, rect.top() + 5), QPointF(x, rect.bottom()));
        const double width = painter.fontMetrics().horizontalAdvance(qt(name));
        double left = x - width - 5.0;
        if (left < free) left = x + 5.0;
        if (left < free || left + width > rect.right()) continue;
        painter.drawText(QRectF(left, rect.top(), width + 1.0, rect.height()), Qt::AlignLeft | Qt::AlignVCenter,
                         qt(name));
        free = left + width + 6.0;
    }
}

/// Each over its mark, pushed to the right where two would overlap; none where they do not fit beside one another.
void DotHeader::paintNames(QPainter& painter, const QRect& rect) const {
    auto names = scale_->names;
    std::sort(names.begin(), names.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    std::vector<QRectF> places;
    double free = rect.left();
    for (const auto& [name, value] : names) {
        const double width = painter.fontMetrics().horizontalAdvance(qt(name)) + 1.0;
        const double left = std::max(placeIn(*scale_, value, QRectF(rect)) - width / 2.0, free);
        places.emplace_back(left, rect.top(), width, rect.height());
        free = left + width + 8.0;
    }
    double most = rect.right();
    for (auto place = places.rbegin(); place != places.rend(); ++place) {
        place->moveRight(std::min(place->right(), most));
        most = place->left() - 8.0;
    }
    if (!places.empty() && places.front().left() < rect.left()) return;
    for (std::size_t i = 0; i < places.size(); ++i)
        painter.drawText(places[i], Qt::AlignLeft | Qt::AlignVCenter, qt(names[i].first));
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
    for (const io::Tick& tick : ticksOf(*scale_, map)) {
        const double x = std::round(map.position(tick.value));
        painter.fillRect(QRectF(x, 0.0, 1.0, 4.0), colours.figure.axis);
        painter.drawText(QRectF(x - 40.0, 4.0, 80.0, 14.0), Qt::AlignCenter, qt(tick.label));
    }
    painter.setRenderHint(QPainter::TextAntialiasing);
    const io::RichText title(scale_->title, colours.figure);
    title.draw(painter, left_ + (width_ - title.width()) / 2.0, 25.0, colours.secondary);
}

}  // namespace dimscope::app
