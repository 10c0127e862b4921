// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <map>
#include <memory>

#include "analysis/table.h"

namespace dimscope::app {

/// A table of the analysis for a view: three digits on the screen, full precision for sorting and copying.
class TableModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Roles { SortRole = Qt::UserRole, ExactRole };

    using QAbstractTableModel::QAbstractTableModel;
    void setTable(std::shared_ptr<const analysis::Table> table);
    /// Shorter headings on the screen, by column name.
    void setHeadings(std::map<std::string, QString> headings) { headings_ = std::move(headings); }
    const std::shared_ptr<const analysis::Table>& table() const { return table_; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    const analysis::Cell& cell(const QModelIndex& index) const;

    std::shared_ptr<const analysis::Table> table_;
    std::map<std::string, QString> headings_;
};

/// A cell with full precision, as it goes to the clipboard.
QString exactText(const analysis::Cell& cell);
/// A value that sorts as a person expects.
QVariant sortValue(const analysis::Cell& cell);

}  // namespace dimscope::app
