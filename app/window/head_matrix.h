// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <QWidget>
#include <optional>
#include <vector>

#include "analysis/head_source.h"
#include "app/core/selection_history.h"

namespace dimscope::app {

class Appearance;

/// Layers x heads as coloured cells. Arrow keys and the mouse move the chosen cell; heads that share keys stand
/// together.
class HeadMatrix : public QWidget {
    Q_OBJECT

public:
    explicit HeadMatrix(const Appearance& appearance, QWidget* parent = nullptr);

    void setLayers(std::vector<analysis::LayerInfo> layers);
    void setValue(HeadChoice head, double value);  ///< NaN: hatched; cells that were never set are blank
    void clearValues();
    void setRange(double from, double to);
    void setChosen(std::optional<HeadChoice> chosen);
    std::optional<HeadChoice> hovered() const { return hovered_; }
    QRect cellRect(HeadChoice head) const;  ///< in widget coordinates; empty: no such head
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

signals:
    void chosen(dimscope::app::HeadChoice head);
    void activated(dimscope::app::HeadChoice head);  ///< Enter or double click
    void hoverChanged();

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Row {
        analysis::LayerInfo info;
        std::vector<double> values;
        std::vector<bool> known;
    };
    void measure();
    int cellLeft(const Row& row, int head) const;
    std::optional<HeadChoice> headAt(QPoint position) const;
    std::optional<int> rowOf(analysis::LayerIndex layer) const;
    void move(int layers, int heads);
    void paintCells(QPainter& painter) const;
    void paintLabels(QPainter& painter) const;
    void paintGroups(QPainter& painter, const Row& row) const;
    void paintFrame(QPainter& painter, HeadChoice head, bool hover) const;

    const Appearance& appearance_;
    std::vector<Row> rows_;
    int mostHeads_ = 0;
    double from_ = 0.0, to_ = 1.0;
    std::optional<HeadChoice> chosen_, hovered_;
    int cellWidth_ = 21, cellHeight_ = 12;
};

}  // namespace dimscope::app
