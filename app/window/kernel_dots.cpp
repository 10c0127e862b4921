// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/kernel_dots.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "app/window/appearance.h"
#include "app/window/kernel_table_model.h"
#include "io/figure/mark_painter.h"

namespace dimscope::app {
namespace {

constexpr double kMeanRadius = 5.0, kSeedRadius = 2.5;

}  // namespace

KernelDots::KernelDots(const Appearance& appearance, DataTable& table, const KernelTableModel& rows, SharedScale scale)
    : DotDelegate(appearance, table, std::move(scale), {KernelTableModel::Kernel, KernelTableModel::Dots}),
      rows_(rows) {}

std::string KernelDots::kernelOf(int row) const { return rows_.row(row).name; }

void KernelDots::paintDots(QPainter& painter, const QRectF& cell, int index) const {
    const KernelRow& row = rows_.row(index);
    if (row.name == "softmax" || row.relMse == 0.0) return paintWords(painter, cell, tr("exact: 0"));
    if (!std::isfinite(row.relMse)) return paintWords(painter, cell, tr("undefined"));
    if (!scale().holds(row.relMse)) return paintOffAxis(painter, cell, row.relMse);
    const io::FigureTheme& theme = appearance().colours().figure;
    const io::KernelStyle style = styleOf(index);
    const double y = std::floor(cell.center().y()) + 0.5;
    painter.setRenderHint(QPainter::Antialiasing);
    double least = row.relMse, most = row.relMse;
    for (const double seed : row.seeds)
        if (std::isfinite(seed)) {
            least = std::max(scale().from, std::min(least, seed));
            most = std::min(scale().to, std::max(most, seed));
        }
    painter.setPen(QPen(style.colour, 1.4));
    painter.drawLine(QPointF(xOf(least, cell), y), QPointF(xOf(most, cell), y));
    if (row.seeds.size() > 1)
        for (const double seed : row.seeds)
            if (scale().holds(seed))
                io::paintMarker(painter, QPointF(xOf(seed, cell), y), kSeedRadius, style.shape, style.filled,
                                style.colour, theme);
    io::paintMarker(painter, QPointF(xOf(row.relMse, cell), y), kMeanRadius, style.shape, style.filled, style.colour,
                    theme);
}

}  // namespace dimscope::app
