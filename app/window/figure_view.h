// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QGraphicsView>
#include <memory>
#include <optional>
#include <vector>

#include "analysis/figure.h"

namespace dimscope::io {
class FigureChart;
}

namespace dimscope::app {

class Appearance;

/// A figure on the screen: shows what is under the pointer, and says what the person does with it.
class FigureView : public QGraphicsView {
    Q_OBJECT

public:
    explicit FigureView(const Appearance& appearance, QWidget* parent = nullptr);
    ~FigureView() override;

    void setFigure(std::shared_ptr<const analysis::Figure> figure);
    const std::shared_ptr<const analysis::Figure>& figure() const;
    void setHighlight(const std::vector<int>& brushed, int hovered, int partner);
    /// Dragging along the x axis then brushes.
    void setBrushable(bool brushable) { brushable_ = brushable; }
    QImage image(double scale) const;  ///< as it stands on the screen
    QSize sizeHint() const override { return {400, 160}; }

signals:
    void hovered(int key);  ///< -1: nothing
    void clicked(int key);
    void brushed(double from, double to);  ///< ascending, in x units
    void brushCleared();

protected:
    void resizeEvent(QResizeEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void drawForeground(QPainter* painter, const QRectF& rect) override;

private:
    void restyle();
    void showHover(QPoint position, QPoint globalPosition);
    std::optional<double> xAt(QPoint position) const;
    bool dragging() const;

    const Appearance& appearance_;
    io::FigureChart* chart_;  // owned by the scene
    bool brushable_ = false;
    std::optional<QPoint> pressed_;
    QPoint pointer_;
};

}  // namespace dimscope::app
