// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/method_dots.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "app/window/appearance.h"
#include "app/window/method_table_model.h"
#include "io/figure/mark_painter.h"

namespace dimscope::app {
namespace {

constexpr double kRadius = 5.0, kSubsetsHeight = 8.0, kWhiskerHeight = 7.0;
constexpr int kJoinAlpha = 110;  // of the line between the two marks

double middleOf(const QRectF& cell) { return std::floor(cell.center().y()) + 0.5; }

}  // namespace

MethodDots::MethodDots(const Appearance& appearance, DataTable& table, const MethodTableModel& rows, SharedScale scale)
    : DotDelegate(appearance, table, std::move(scale), {MethodTableModel::Method, MethodTableModel::Dots}),
      rows_(rows) {}

std::string MethodDots::kernelOf(int row) const { return rows_.row(row).kernel; }

void MethodDots::paintDots(QPainter& painter, const QRectF& cell, int index) const {
    const analysis::RetainedRow& row = rows_.row(index);
    painter.setRenderHint(QPainter::Antialiasing, false);
    paintSubsets(painter, cell, index);
    if (!std::isfinite(row.ratio)) return paintWords(painter, cell, tr("undefined (E_full = 0)"));
    painter.setRenderHint(QPainter::Antialiasing);
    const io::FigureTheme& theme = appearance().colours().figure;
    const io::KernelStyle style = styleOf(index);
    const auto mark = [&](double value, bool filled) {
        if (!scale().holds(value)) return paintOffAxis(painter, cell, value);
        io::paintMarker(painter, QPointF(xOf(value, cell), middleOf(cell)), kRadius, style.shape, filled, style.colour,
                        theme);
    };
    if (std::isfinite(row.gaussian)) {
        QColor faint = style.colour;
        faint.setAlpha(kJoinAlpha);
        paintSpan(painter, cell, row.gaussian, row.ratio, QPen(faint, 1.4), false);
        paintSpan(painter, cell, row.gaussian - row.gaussianError, row.gaussian + row.gaussianError,
                  QPen(style.colour, 1.4), true);
        mark(row.gaussian, false);
    }
    paintSpan(painter, cell, row.ratio - row.error, row.ratio + row.error, QPen(style.colour, 1.4), true);
    mark(row.ratio, true);
}

void MethodDots::paintSpan(QPainter& painter, const QRectF& cell, double from, double to, const QPen& pen,
                           bool ends) const {
    if (!std::isfinite(from) || !std::isfinite(to)) return;
    const double y = middleOf(cell);
    const auto place = [&](double value) { return xOf(std::clamp(value, scale().from, scale().to), cell); };
    painter.setPen(pen);
    painter.drawLine(QPointF(place(from), y), QPointF(place(to), y));
    if (!ends) return;
    for (const double end : {from, to})
        if (scale().holds(end))
            painter.drawLine(QPointF(xOf(end, cell), y - kWhiskerHeight / 2),
                             QPointF(xOf(end, cell), y + kWhiskerHeight / 2));
}

void MethodDots::paintSubsets(QPainter& painter, const QRectF& cell, int index) const {
    const analysis::RetainedRow& row = rows_.row(index);
    if (!std::isfinite(row.from) || !std::isfinite(row.to)) return;
    const io::FigureTheme& theme = appearance().colours().figure;
    const auto place = [&](double value) { return std::round(xOf(std::clamp(value, scale().from, scale().to), cell)); };
    const double top = middleOf(cell) - 0.5 - kSubsetsHeight / 2;
    painter.fillRect(QRectF(place(row.from), top, std::max(place(row.to) - place(row.from), 1.0), kSubsetsHeight + 1),
                     theme.bulkKey);
    if (std::isfinite(row.median))
        painter.fillRect(QRectF(place(row.median), top, 1.0, kSubsetsHeight + 1), theme.secondary);
}

}  // namespace dimscope::app
