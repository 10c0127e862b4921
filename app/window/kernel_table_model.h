// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "app/report/kernel_rows.h"

namespace dimscope::app {

/// Rows of the kernel table for a view; sorts itself, because exact attention stays on top.
class KernelTableModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Kernel, Dots, Head, Gate, Layer, AfterWo, Draws, Setting, ColumnCount };

    using QAbstractTableModel::QAbstractTableModel;
    void setRows(std::vector<KernelRow> rows, const QString& headTitle, const QString& layerTitle, bool layerComing);
    const KernelRow& row(int index) const { return rows_[static_cast<std::size_t>(index)]; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    void sort(int column, Qt::SortOrder order) override;

private:
    analysis::Cell cell(const KernelRow& row, int column) const;
    QString displayed(const KernelRow& row, int column) const;
    void sortRows();

    std::vector<KernelRow> rows_;
    QString headTitle_, layerTitle_;
    bool layerComing_ = false;
    int sortColumn_ = Head;
    Qt::SortOrder order_ = Qt::AscendingOrder;
};

}  // namespace dimscope::app
