// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/head_matrix.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "app/window/appearance.h"
#include "io/figure/heat_map_image.h"

namespace dimscope::app {
namespace {

constexpr int kMostCellWidth = 21, kCellHeight = 12, kGap = 1, kGroupGap = 2;
constexpr int kLeft = 34, kTop = 30, kMargin = 4;

int groupOf(const analysis::LayerInfo& layer, int head) {
    return kernels::kvHeadOf(analysis::HeadIndex{head}, layer.nHeads, layer.nKvHeads).value;
}

}  // namespace

HeadMatrix::HeadMatrix(const Appearance& appearance, QWidget* parent) : QWidget(parent), appearance_(appearance) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Layers and heads"));
    connect(&appearance_, &Appearance::changed, this, [this] { update(); });
}

void HeadMatrix::setLayers(std::vector<analysis::LayerInfo> layers) {
    rows_.clear();
    mostHeads_ = 0;
    for (analysis::LayerInfo& layer : layers) {
        const auto heads = static_cast<std::size_t>(layer.nHeads);
        mostHeads_ = std::max(mostHeads_, layer.nHeads);
        rows_.push_back({std::move(layer), std::vector<double>(heads), std::vector<bool>(heads, false)});
    }
    hovered_.reset();
    measure();
    updateGeometry();
    update();
}

void HeadMatrix::clearValues() {
    for (Row& row : rows_) std::fill(row.known.begin(), row.known.end(), false);
    update();
}

void HeadMatrix::setValue(HeadChoice head, double value) {
    const auto row = rowOf(head.layer);
    if (!row) return;
    Row& of = rows_[static_cast<std::size_t>(*row)];
    of.values[static_cast<std::size_t>(head.head.value)] = value;
    of.known[static_cast<std::size_t>(head.head.value)] = true;
    update();
}

void HeadMatrix::setRange(double from, double to) {
    from_ = from;
    to_ = to;
    update();
}

void HeadMatrix::setChosen(std::optional<HeadChoice> chosen) {
    chosen_ = chosen;
    update();
}

void HeadMatrix::measure() {
    if (rows_.empty()) return;
    const int groups = rows_.front().info.nKvHeads;
    const int room = width() - kLeft - kMargin - (groups - 1) * kGroupGap;
    cellWidth_ = std::clamp(room / std::max(mostHeads_, 1) - kGap, 3, kMostCellWidth);
    cellHeight_ = rows_.size() <= 36 ? kCellHeight : 8;
}

QSize HeadMatrix::sizeHint() const {
    return {kLeft + mostHeads_ * (kMostCellWidth + kGap),
            kTop + static_cast<int>(rows_.size()) * (cellHeight_ + kGap) + 2};
}

QSize HeadMatrix::minimumSizeHint() const { return {120, sizeHint().height()}; }

void HeadMatrix::resizeEvent(QResizeEvent*) { measure(); }

int HeadMatrix::cellLeft(const Row& row, int head) const {
    return kLeft + head * (cellWidth_ + kGap) + groupOf(row.info, head) * kGroupGap;
}

QRect HeadMatrix::cellRect(HeadChoice head) const {
    const auto row = rowOf(head.layer);
    if (!row || head.head.value >= rows_[static_cast<std::size_t>(*row)].info.nHeads) return {};
    return {cellLeft(rows_[static_cast<std::size_t>(*row)], head.head.value), kTop + *row * (cellHeight_ + kGap),
            cellWidth_, cellHeight_};
}

std::optional<int> HeadMatrix::rowOf(analysis::LayerIndex layer) const {
    for (std::size_t r = 0; r < rows_.size(); ++r)
        if (rows_[r].info.layer == layer) return static_cast<int>(r);
    return std::nullopt;
}

std::optional<HeadChoice> HeadMatrix::headAt(QPoint position) const {
    const int r = (position.y() - kTop) / (cellHeight_ + kGap);
    if (position.y() < kTop || r >= static_cast<int>(rows_.size())) return std::nullopt;
    const Row& row = rows_[static_cast<std::size_t>(r)];
    for (int h = 0; h < row.info.nHeads; ++h) {
        const int left = cellLeft(row, h);
        if (position.x() >= left && position.x() <= left + cellWidth_)
            return HeadChoice{row.info.layer, analysis::HeadIndex{h}};
    }
    return std::nullopt;
}

void HeadMatrix::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    if (rows_.empty()) return;
    paintCells(painter);
    paintLabels(painter);
    if (hovered_ && hovered_ != chosen_) paintFrame(painter, *hovered_, true);
    if (chosen_) paintFrame(painter, *chosen_, false);
}

void HeadMatrix::paintCells(QPainter& painter) const {
    const Colours& colours = appearance_.colours();
    // One pixel per head: the colours; the cells are that image enlarged.
    QImage image(mostHeads_, static_cast<int>(rows_.size()), QImage::Format_RGB32);
    for (int r = 0; r < image.height(); ++r) {
        const Row& row = rows_[static_cast<std::size_t>(r)];
        for (int h = 0; h < row.info.nHeads; ++h) {
            const double value = row.values[static_cast<std::size_t>(h)];
            const bool known = row.known[static_cast<std::size_t>(h)];
            const QRect cell(cellLeft(row, h), kTop + r * (cellHeight_ + kGap), cellWidth_, cellHeight_);
            if (known && std::isfinite(value)) {
                const double place = to_ > from_ ? std::clamp((value - from_) / (to_ - from_), 0.0, 1.0) : 0.5;
                image.setPixel(h, r, io::mapColour(analysis::ColourMap::Cividis, place));
                painter.drawImage(cell, image, QRect(h, r, 1, 1));
            } else {
                painter.fillRect(cell, colours.hairline);
                if (known) painter.fillRect(cell, QBrush(colours.secondary, Qt::BDiagPattern));
            }
        }
    }
}

void HeadMatrix::paintLabels(QPainter& painter) const {
    const Colours& colours = appearance_.colours();
    QFont small = font();
    small.setPixelSize(11);
    const int layerStep = cellHeight_ + kGap >= 13 && rows_.size() <= 8 ? 1 : 5;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
        const bool isChosen = chosen_ && chosen_->layer == rows_[r].info.layer;
        const bool last = r + 1 == rows_.size();
        if (!isChosen && !last && static_cast<int>(r) % layerStep != 0) continue;
        if (last && !isChosen && rows_.size() > 8 && static_cast<int>(r) % layerStep == 1) continue;  // too near
        small.setBold(isChosen);
        painter.setFont(small);
        painter.setPen(isChosen ? colours.text : colours.secondary);
        const int y = kTop + static_cast<int>(r) * (cellHeight_ + kGap);
        painter.drawText(QRect(0, y - 4, kLeft - 6, cellHeight_ + 8), Qt::AlignRight | Qt::AlignVCenter,
                         "L" + QString::number(rows_[r].info.layer.value));
    }
    paintGroups(painter, rows_.front());
}

void HeadMatrix::paintGroups(QPainter& painter, const Row& row) const {
    const Colours& colours = appearance_.colours();
    QFont small = font();
    small.setPixelSize(11);
    painter.setFont(small);
    const int wanted = painter.fontMetrics().horizontalAdvance("00") + 4;
    const int step = std::max(1, (wanted + cellWidth_) / (cellWidth_ + kGap));
    const int perGroup = row.info.nHeads / std::max(row.info.nKvHeads, 1);
    const bool named = perGroup > 1 && perGroup * (cellWidth_ + kGap) >= 30;
    for (int h = 0; h < row.info.nHeads; ++h) {
        const bool isChosen = chosen_ && chosen_->head.value == h;
        if (!isChosen && h % step != 0) continue;
        small.setBold(isChosen);
        painter.setFont(small);
        painter.setPen(isChosen ? colours.text : colours.secondary);
        painter.drawText(QRect(cellLeft(row, h) - 10, 16, cellWidth_ + 20, 14), Qt::AlignCenter, QString::number(h));
    }
    small.setBold(false);
    painter.setFont(small);
    painter.setPen(colours.secondary);
    for (int g = 0; named && g < row.info.nKvHeads; ++g) {
        const int left = cellLeft(row, g * perGroup);
        const int right = cellLeft(row, (g + 1) * perGroup - 1) + cellWidth_;
        painter.drawText(QRect(left, 0, right - left, 14), Qt::AlignLeft | Qt::AlignVCenter, tr("KV %1").arg(g));
        painter.fillRect(QRect(left, 15, right - left, 1), colours.field);
    }
}

void HeadMatrix::paintFrame(QPainter& painter, HeadChoice head, bool hover) const {
    const QRect cell = cellRect(head);
    if (cell.isNull()) return;
    const Colours& colours = appearance_.colours();
    // A halo of the ground keeps the ink apart from any cell colour.
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(colours.window, 4.0, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
    painter.drawRect(cell.adjusted(0, 0, -1, -1));
    QPen ink(colours.text, hover ? 1.5 : 2.0, hover ? Qt::DashLine : Qt::SolidLine, Qt::FlatCap, Qt::MiterJoin);
    if (hover) ink.setDashPattern({2.0, 1.5});
    painter.setPen(ink);
    painter.drawRect(cell.adjusted(0, 0, -1, -1));
}

void HeadMatrix::mouseMoveEvent(QMouseEvent* event) {
    const auto head = headAt(event->pos());
    if (head == hovered_) return;
    hovered_ = head;
    update();
    emit hoverChanged();
}

void HeadMatrix::leaveEvent(QEvent*) {
    hovered_.reset();
    update();
    emit hoverChanged();
}

void HeadMatrix::mousePressEvent(QMouseEvent* event) {
    const auto head = headAt(event->pos());
    if (head && event->button() == Qt::LeftButton) emit chosen(*head);
}

void HeadMatrix::mouseDoubleClickEvent(QMouseEvent* event) {
    if (const auto head = headAt(event->pos())) emit activated(*head);
}

void HeadMatrix::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
        case Qt::Key_Left: return move(0, -1);
        case Qt::Key_Right: return move(0, 1);
        case Qt::Key_Up: return move(-1, 0);
        case Qt::Key_Down: return move(1, 0);
        case Qt::Key_Return:
        case Qt::Key_Enter:
            if (chosen_) emit activated(*chosen_);
            return;
        default: QWidget::keyPressEvent(event);
    }
}

void HeadMatrix::move(int layers, int heads) {
    if (rows_.empty()) return;
    const int row = chosen_ ? rowOf(chosen_->layer).value_or(0) : 0;
    const int next = std::clamp(row + layers, 0, static_cast<int>(rows_.size()) - 1);
    const analysis::LayerInfo& info = rows_[static_cast<std::size_t>(next)].info;
    const int head = std::clamp((chosen_ ? chosen_->head.value : 0) + heads, 0, info.nHeads - 1);
    emit chosen(HeadChoice{info.layer, analysis::HeadIndex{head}});
}

}  // namespace dimscope::app
