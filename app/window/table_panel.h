// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <map>
#include <memory>

#include "analysis/table.h"

class QSortFilterProxyModel;

namespace dimscope::app {

class Appearance;
class CaptionRow;
class CellDelegate;
class DataTable;
class TableModel;

/// How a column looks on the screen, where it is narrower than in a file.
struct ColumnView {
    QString heading = {};  ///< empty: the table's own
    int width = 0;         ///< pixels; 0: an equal part of what is left
    bool hidden = false;
};

/// Caption and a sortable table with copy and export.
class TablePanel : public QWidget {
    Q_OBJECT

public:
    TablePanel(const Appearance& appearance, int rowHeight, QWidget* parent = nullptr);

    /// By the names of columns; those that are not named share the width.
    void setColumns(std::map<std::string, ColumnView> columns);
    /// Without a title the table's caption stands there. The order that the person chose stays; `sortColumn` (a
    /// column's name, descending) is the first one.
    void setTable(analysis::Table table, const QString& title, const std::string& sortColumn = {});
    void clear(const QString& title);
    const std::shared_ptr<const analysis::Table>& table() const;
    DataTable& view() { return *view_; }
    CellDelegate& delegate() { return *delegate_; }
    /// Row of the table behind a row or index of the view.
    int sourceRow(const QModelIndex& index) const;
    QModelIndex viewIndex(int sourceRow) const;
    void copy();
    void exportTable();  ///< asks where

private:
    void showColumns();

    const Appearance& appearance_;
    std::map<std::string, ColumnView> columns_;
    CaptionRow* caption_;
    DataTable* view_;
    CellDelegate* delegate_;
    TableModel* model_;
    QSortFilterProxyModel* sorted_;
};

}  // namespace dimscope::app
