// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/figure/end_labels.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "io/figure/drawn_figure.h"
#include "io/figure/label_layout.h"
#include "io/figure/line_pieces.h"
#include "io/figure/mark_painter.h"
#include "io/figure/rich_text.h"

namespace dimscope::io {
namespace {

using namespace analysis;

constexpr double kSpacing = 1.27;       // of the text height: 14 px on the screen
constexpr double kChosenWidthPt = 1.5;  // a line this strong has its name in bold
constexpr double kMarkerRadius = 0.34;

void paintLeader(QPainter& painter, const EndLabel& label, const PanelGeometry& place, const FigureTheme& theme) {
    const double right = place.plot.right();
    const double start = label.lineEnd.x() + theme.em(0.5);
    painter.setPen(QPen(theme.axis, 0.75 * theme.lineWidth, Qt::SolidLine, Qt::FlatCap));
    painter.setBrush(Qt::NoBrush);
    const double y = label.lineEnd.y();
    painter.drawPolyline(QPolygonF({QPointF(start, y), QPointF(std::max(start, right + theme.em(0.15)), y),
                                    QPointF(right + theme.em(0.8), label.middle),
                                    QPointF(right + theme.em(kLeaderRoom - 0.2), label.middle)}));
}

void paintName(QPainter& painter, const Line& line, const EndLabel& label, const PanelGeometry& place,
               const DrawnFigure& drawn) {
    const FigureTheme& theme = drawn.theme;
    const double x = place.plot.right() + theme.em(kLeaderRoom);
    const QPointF marker(x + theme.em(0.45), label.middle);
    const bool hovered = drawn.highlight.isHovered(line.hover.key);
    if (line.ink.role == Role::Kernel && !kernelStyle(line.ink.kernel, theme).reference) {
        const KernelStyle style = kernelStyle(line.ink.kernel, theme);
        paintMarker(painter, marker, theme.em(kMarkerRadius), style.shape, style.filled,
                    hovered ? theme.text : style.colour, theme);
    } else if (!line.dashed) {
        painter.fillRect(
            QRectF(marker.x() - theme.em(0.4), marker.y() - theme.lineWidth, theme.em(0.8), 2 * theme.lineWidth),
            inkColour(line.ink, theme));
    }
    const bool bold = hovered || drawn.highlight.isBrushed(line.hover.key) || line.widthPt >= kChosenWidthPt;
    RichText(line.endLabel, theme, bold)
        .draw(painter, x + theme.em(kEndMarkerRoom), label.middle, textColour(line.ink, theme));
}

}  // namespace

std::vector<EndLabel> endLabels(const DrawnFigure& drawn, std::size_t panel) {
    const PanelGeometry& place = drawn.geometry.panels[panel];
    const std::vector<Mark>& marks = drawn.figure->panels[panel].marks;
    std::vector<EndLabel> labels;
    std::vector<double> wanted;
    for (std::size_t i = 0; i < marks.size(); ++i) {
        const auto* line = std::get_if<Line>(&marks[i]);
        if (!line || line->endLabel.empty() || line->labelNear) continue;
        const auto pieces = linePieces(*line, place);
        if (pieces.empty()) continue;
        labels.push_back({i, pieces.back().back(), 0.0});
        wanted.push_back(labels.back().lineEnd.y());
    }
    const double reach = drawn.theme.em(0.5);
    const std::vector<double> placed = spreadLabels(wanted, drawn.theme.em(kSpacing), place.plot.top() - reach / 2,
                                                    std::max(place.plot.bottom() + reach, place.plot.top()));
    for (std::size_t i = 0; i < labels.size(); ++i) labels[i].middle = placed[i];
    return labels;
}

void paintEndLabels(QPainter& painter, const DrawnFigure& drawn, std::size_t panel) {
    const PanelGeometry& place = drawn.geometry.panels[panel];
    for (const EndLabel& label : endLabels(drawn, panel)) {
        paintLeader(painter, label, place, drawn.theme);
        paintName(painter, std::get<Line>(drawn.figure->panels[panel].marks[label.mark]), label, place, drawn);
    }
}

}  // namespace dimscope::io
