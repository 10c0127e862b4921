// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <memory>
#include <string>

#include "app/report/dot_scale.h"
#include "app/window/cell_delegate.h"
#include "app/window/sort_header.h"
#include "io/figure/figure_theme.h"

namespace dimscope::app {

/// The scale that the heading, the rows and the axis of the dot column share.
using SharedScale = std::shared_ptr<DotScale>;

/// Kernel markers beside their names, dots on the scale, everything else as text.
class DotDelegate : public CellDelegate {
    Q_OBJECT

public:
    struct Columns {
        int name, dots;
    };
    DotDelegate(const Appearance& appearance, DataTable& table, SharedScale scale, Columns columns);
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;

protected:
    virtual std::string kernelOf(int row) const = 0;
    /// The marks of one row, over the grid and the reference lines.
    virtual void paintDots(QPainter& painter, const QRectF& cell, int row) const = 0;

    const DotScale& scale() const { return *scale_; }
    io::KernelStyle styleOf(int row) const;
    double xOf(double value, const QRectF& cell) const;
    void paintWords(QPainter& painter, const QRectF& cell, const QString& words) const;
    /// A value beyond the axis: an arrow and the number.
    void paintOffAxis(QPainter& painter, const QRectF& cell, double value) const;

private:
    void paintName(QPainter& painter, const QStyleOptionViewItem& option, const QModelIndex& index) const;
    void paintGrid(QPainter& painter, const QRectF& cell) const;

    SharedScale scale_;
    Columns columns_;
};

/// The heading: over the dots it names the reference lines and the marks of the first row.
class DotHeader : public SortHeader {
    Q_OBJECT

public:
    DotHeader(const Appearance& appearance, SharedScale scale, int dotsColumn, QWidget* parent);

protected:
    void paintSection(QPainter* painter, const QRect& rect, int section) const override;

private:
    void paintReferences(QPainter& painter, const QRect& rect) const;
    void paintNames(QPainter& painter, const QRect& rect) const;

    SharedScale scale_;
    int dotsColumn_;
};

/// The axis under the dots.
class DotAxis : public QWidget {
    Q_OBJECT

public:
    DotAxis(const Appearance& appearance, SharedScale scale, QWidget* parent = nullptr);
    void setColumn(int left, int width);
    QSize sizeHint() const override { return {200, 34}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    const Appearance& appearance_;
    SharedScale scale_;
    int left_ = 0, width_ = 0;
};

}  // namespace dimscope::app
