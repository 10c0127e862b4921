// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/figure/figure_overlay.h"

#include <QPainter>

#include "io/figure/axis_painter.h"
#include "io/figure/drawn_figure.h"
#include "io/figure/label_painter.h"
#include "io/figure/mark_painter.h"

namespace dimscope::io {

FigureOverlay::FigureOverlay(Layer layer, const DrawnFigure& drawn, QGraphicsItem* parent)
    : QGraphicsItem(parent), layer_(layer), drawn_(drawn) {
    setAcceptedMouseButtons(Qt::NoButton);
    setZValue(layer == Layer::Below ? 0.0 : 2.0);
}

QRectF FigureOverlay::boundingRect() const { return {QPointF(0.0, 0.0), drawn_.geometry.size}; }

void FigureOverlay::paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*) {
    if (!drawn_.figure) return;
    painter->setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing);
    if (layer_ == Layer::Below) {
        paintMarksBelow(*painter, drawn_);
        return;
    }
    paintAxes(*painter, drawn_);
    paintMarksAbove(*painter, drawn_);
    paintLabels(*painter, drawn_);
}

}  // namespace dimscope::io
