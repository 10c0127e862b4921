// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/figure/heat_map_painter.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "io/figure/axis_painter.h"
#include "io/figure/figure_layout.h"
#include "io/figure/figure_theme.h"
#include "io/figure/heat_map_image.h"

namespace dimscope::io {
namespace {

using analysis::HeatMap;

constexpr double kVectorPixelsPerUnit = 300.0 / 72.0;  // images inside vector files
constexpr double kHatchSpacing = 0.55, kFirstColumnGap = 0.18;

// Pixels of the device per logical unit, so that cells stay sharp at every scale.
double pixelsPerUnit(const QPainter& painter, const FigureTheme& theme) {
    const double scale = std::abs(painter.deviceTransform().m11());
    return theme.pixelGrid > 0.0 ? std::max(scale, 1.0) : kVectorPixelsPerUnit;
}

// Rising lines, cut at the border by arithmetic: vector files know no clipping.
void paintHatching(QPainter& painter, const QRectF& rect, const FigureTheme& theme) {
    painter.fillRect(rect, theme.missing);
    painter.setPen(QPen(theme.fieldLine, theme.lineWidth / 2, Qt::SolidLine, Qt::FlatCap));
    for (double k = theme.em(kHatchSpacing) - rect.height(); k < rect.width(); k += theme.em(kHatchSpacing)) {
        const double from = std::max(-k, 0.0), to = std::min(rect.width() - k, rect.height());
        if (to > from)
            painter.drawLine(QPointF(rect.left() + k + from, rect.bottom() - from),
                             QPointF(rect.left() + k + to, rect.bottom() - to));
    }
}

void paintColumns(QPainter& painter, const HeatMap& map, kernels::Index first, kernels::Index last, const QRectF& rect,
                  const FigureTheme& theme) {
    const double scale = pixelsPerUnit(painter, theme);
    const QSize size(static_cast<int>(std::lround(rect.width() * scale)),
                     static_cast<int>(std::lround(rect.height() * scale)));
    if (size.isEmpty()) return;
    painter.drawImage(rect, heatMapImage(map, first, last, size));
}

}  // namespace

void paintHeatMap(QPainter& painter, const HeatMap& map, const PanelGeometry& panel, const FigureTheme& theme) {
    if (!map.values || map.values->empty()) return;
    const std::vector<float>& values = map.values->values();
    const bool missing = std::any_of(values.begin(), values.end(), [](float v) { return std::isnan(v); });
    painter.save();
    painter.setRenderHint(QPainter::SmoothPixmapTransform, false);
    painter.setRenderHint(QPainter::LosslessImageRendering, true);
    QRectF rest = panel.plot;
    const kernels::Index cols = map.values->cols();
    const bool wideFirst = panel.x.firstWidth > 0.0 && cols > 1;
    if (wideFirst) {
        const double width = panel.x.firstWidth;
        const QRectF first(rest.left(), rest.top(), width - theme.snapped(theme.em(kFirstColumnGap)), rest.height());
        if (missing) paintHatching(painter, first, theme);
        paintColumns(painter, map, 0, 1, first, theme);
        rest.setLeft(rest.left() + width);
    }
    if (missing) paintHatching(painter, rest, theme);
    paintColumns(painter, map, wideFirst ? 1 : 0, cols, rest, theme);
    painter.restore();
    const QRectF& plot = panel.plot;
    const double line = theme.lineWidth;
    paintStraightLine(painter, {plot.left(), plot.top() - line}, {plot.right(), plot.top() - line}, theme.fieldLine,
                      theme);
    paintStraightLine(painter, {plot.left(), plot.bottom()}, {plot.right(), plot.bottom()}, theme.fieldLine, theme);
    paintStraightLine(painter, {plot.right(), plot.top()}, {plot.right(), plot.bottom()}, theme.fieldLine, theme);
    paintStraightLine(painter, {plot.left() - line, plot.top()}, {plot.left() - line, plot.bottom()}, theme.fieldLine,
                      theme);
}

}  // namespace dimscope::io
