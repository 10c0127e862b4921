// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QGraphicsWidget>
#include <memory>
#include <optional>
#include <vector>

#include "io/figure/drawn_figure.h"

class QChart;

namespace dimscope::io {

class FigureOverlay;

/// Draws a figure, on the screen and in files alike: Qt Charts the lines of each panel, overlays below and above them
/// everything else. Lays itself out when it is resized. Positions are those of the item, in logical units.
class FigureChart : public QGraphicsWidget {
public:
    explicit FigureChart(QGraphicsItem* parent = nullptr);
    ~FigureChart() override;

    void setFigure(std::shared_ptr<const analysis::Figure> figure);
    const std::shared_ptr<const analysis::Figure>& figure() const { return drawn_.figure; }
    void setTheme(const FigureTheme& theme);
    /// Keys of brushed marks get a band or a ring; the hovered key is drawn in ink, its partner in sky blue.
    void setHighlight(const std::vector<int>& brushed, int hovered, int partner);

    /// The mark under the pointer: nearest within a few pixels, bars by their column.
    std::optional<analysis::Hover> hoverAt(QPointF position) const;
    /// Value on the x axis of the panel under \p position; nothing outside the plots.
    std::optional<double> xAt(QPointF position) const;
    /// The plots of all panels, from top to bottom.
    std::vector<QRectF> panelRects() const;
    const DrawnFigure& drawn() const { return drawn_; }

    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

protected:
    void resizeEvent(QGraphicsSceneResizeEvent* event) override;

private:
    void layOut();
    void rebuildCharts();
    void addChart(std::size_t panel);
    void addLine(QChart& chart, const analysis::Line& line, const PanelGeometry& place);

    DrawnFigure drawn_;
    FigureOverlay* below_;  // children of this item
    FigureOverlay* above_;
    std::vector<std::unique_ptr<QChart>> charts_;
};

}  // namespace dimscope::io
