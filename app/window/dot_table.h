// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <memory>

#include "app/window/dot_column.h"

class QAbstractItemModel;

namespace dimscope::app {

class CaptionRow;
class DataTable;

/// Dot plot and table as one thing: a column of the table holds the dots, its heading names them, and their axis stands
/// under the rows. One row is the chosen one, by the mouse or the arrow keys; the others can still be selected, to be
/// copied.
class DotTable : public QWidget {
    Q_OBJECT

public:
    DotTable(const Appearance& appearance, int rowHeight, QWidget* parent = nullptr);
    DataTable& view() { return *view_; }

signals:
    void rowChosen(int row);  ///< by a person
    void exportTableAsked();
    void exportFigureAsked();

protected:
    /// Once, by the table's constructor: what the rows are and who draws them.
    void build(QAbstractItemModel& rows, DotDelegate& delegate, int dotsColumn, const QString& accessibleName);
    void setColumnWidths(std::initializer_list<std::pair<int, int>> widths);  ///< column, pixels; the dots get the rest
    void setCaption(const QString& title, const QString& caption);
    void setScale(const DotScale& scale);
    void fitHeight(int rows);
    SharedScale scale() const { return scale_; }
    const Appearance& appearance() const { return appearance_; }
    void resizeEvent(QResizeEvent* event) override;

private:
    void placeAxis();

    const Appearance& appearance_;
    int rowHeight_;
    int dotsColumn_ = 0;
    SharedScale scale_;
    CaptionRow* caption_;
    DataTable* view_;
    DotAxis* axis_;
};

}  // namespace dimscope::app
