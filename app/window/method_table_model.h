// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "analysis/intervention/retained_rows.h"

namespace dimscope::app {

/// Rows of the retained-error table for a view.
class MethodTableModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Method, Dots, Pretrained, Gaussian, Random, P, Subsets, ColumnCount };

    using QAbstractTableModel::QAbstractTableModel;
    /// `coming`: what is not there yet is still being computed.
    void setRows(std::vector<analysis::RetainedRow> rows, bool coming);
    const analysis::RetainedRow& row(int index) const { return rows_[static_cast<std::size_t>(index)]; }
    int rowOf(const std::string& kernel) const;  ///< -1: none

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    void sort(int column, Qt::SortOrder order) override;

private:
    QString displayed(const analysis::RetainedRow& row, int column) const;
    QString missing() const;
    void sortRows();

    std::vector<analysis::RetainedRow> rows_;
    bool coming_ = false;
    int sortColumn_ = Pretrained;
    Qt::SortOrder order_ = Qt::DescendingOrder;
};

}  // namespace dimscope::app
