// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <memory>

#include "analysis/figure.h"

class QLabel;
class QStackedLayout;

namespace dimscope::app {

class Appearance;
class CaptionRow;
class FigureView;

/// Caption, figure, and the words that stand in its place while there is none.
class FigurePanel : public QWidget {
    Q_OBJECT

public:
    explicit FigurePanel(const Appearance& appearance, QWidget* parent = nullptr);

    void setFigure(analysis::Figure figure);
    void setNotice(const QString& title, const QString& words);  ///< no figure, because ...
    const std::shared_ptr<const analysis::Figure>& figure() const;
    FigureView& view() { return *view_; }
    void addControl(QWidget* control);  ///< beside the caption
    void copy();
    void exportFigure();  ///< asks how and where

private:
    const Appearance& appearance_;
    CaptionRow* caption_;
    FigureView* view_;
    QLabel* notice_;
    QStackedLayout* stack_;
};

}  // namespace dimscope::app
