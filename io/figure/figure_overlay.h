// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QGraphicsItem>

namespace dimscope::io {

struct DrawnFigure;

/// Paints what Qt Charts cannot: one item below its lines, one above.
class FigureOverlay : public QGraphicsItem {
public:
    enum class Layer { Below, Above };
    /// \p drawn outlives the item.
    FigureOverlay(Layer layer, const DrawnFigure& drawn, QGraphicsItem* parent);

    QRectF boundingRect() const override;
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;
    /// To be called before the drawn figure changes its size.
    void aboutToResize() { prepareGeometryChange(); }

private:
    Layer layer_;
    const DrawnFigure& drawn_;
};

}  // namespace dimscope::io
