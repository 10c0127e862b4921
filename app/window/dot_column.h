// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <memory>

#include "app/report/kernel_rows.h"
#include "app/window/cell_delegate.h"
#include "app/window/sort_header.h"

namespace dimscope::app {

class KernelTableModel;

/// The scale that the heading, the rows and the axis of the dot column share.
using SharedScale = std::shared_ptr<DotScale>;

/// Kernel markers beside their names, errors as dots on the scale, everything else as text.
class DotDelegate : public CellDelegate {
    Q_OBJECT

public:
    DotDelegate(const Appearance& appearance, DataTable& table, const KernelTableModel& rows, SharedScale scale);
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    void paintName(QPainter& painter, const QStyleOptionViewItem& option, const QModelIndex& index) const;
    void paintDots(QPainter& painter, const QRectF& cell, const KernelRow& row) const;
    void paintWords(QPainter& painter, const QRectF& cell, const QString& words) const;
    void paintOffAxis(QPainter& painter, const QRectF& cell, const KernelRow& row) const;

    const KernelTableModel& rows_;
    SharedScale scale_;
};

/// The heading: over the dots it names the reference lines.
class DotHeader : public SortHeader {
    Q_OBJECT

public:
    DotHeader(const Appearance& appearance, SharedScale scale, QWidget* parent);

protected:
    void paintSection(QPainter* painter, const QRect& rect, int section) const override;

private:
    SharedScale scale_;
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
