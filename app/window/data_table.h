// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTableView>

namespace dimscope::app {

class Appearance;

/// A table view as the program wants it everywhere: rows of one height with a line under each, sortable headers with a
/// small triangle, Ctrl+C copies the selected rows with full precision.
class DataTable : public QTableView {
    Q_OBJECT

public:
    DataTable(const Appearance& appearance, int rowHeight, QWidget* parent = nullptr);

    void copySelection() const;  ///< tab-separated, with headings; everything where nothing is selected
    int rowHeight() const { return rowHeight_; }
    /// Row under the pointer, -1: none.
    int hoveredRow() const { return hoveredRow_; }

signals:
    void rowHovered(int row);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    void setHoveredRow(int row);

    int rowHeight_;
    int hoveredRow_ = -1;
};

}  // namespace dimscope::app
