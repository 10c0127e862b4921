// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/kernel_table_model.h"

#include <algorithm>

#include "app/window/qt_text.h"
#include "app/window/table_model.h"

namespace dimscope::app {
namespace {

analysis::Cell optionalCell(const std::optional<double>& value) {
    return value ? analysis::Cell(*value) : analysis::Cell(std::monostate{});
}

}  // namespace

void KernelTableModel::setRows(std::vector<KernelRow> rows, const QString& headTitle, const QString& layerTitle,
                               bool layerComing) {
    beginResetModel();
    rows_ = std::move(rows);
    headTitle_ = headTitle;
    layerTitle_ = layerTitle;
    layerComing_ = layerComing;
    sortRows();
    endResetModel();
}

int KernelTableModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int KernelTableModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : ColumnCount; }

analysis::Cell KernelTableModel::cell(const KernelRow& row, int column) const {
    switch (column) {
        case Kernel: return row.title;
        case Dots:
        case Head: return row.relMse;
        case Gate: return optionalCell(row.gate);
        case Layer: return optionalCell(row.layer);
        case AfterWo: return optionalCell(row.afterWo);
        case Draws: return static_cast<std::int64_t>(row.seeds.size());
        default: return row.setting;
    }
}

QString KernelTableModel::displayed(const KernelRow& row, int column) const {
    if (column == Dots) return {};
    if (column == Draws) return row.seeds.size() > 1 ? QString::number(row.seeds.size()) : QString();
    const analysis::Cell value = cell(row, column);
    if (std::holds_alternative<std::monostate>(value))
        return layerComing_ && column != Gate ? QString("…") : QString("–");
    return qt(analysis::displayText(value));
}

QVariant KernelTableModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const KernelRow& of = row(index.row());
    switch (role) {
        case Qt::DisplayRole: return displayed(of, index.column());
        case Qt::TextAlignmentRole: return headerData(index.column(), Qt::Horizontal, role);
        case TableModel::SortRole: return sortValue(cell(of, index.column()));
        case TableModel::ExactRole: return exactText(cell(of, index.column()));
        case Qt::ToolTipRole:
            return of.badRows > 0
                       ? tr("%1: %2 rows left out, their output is not finite").arg(qt(of.title)).arg(of.badRows)
                       : QVariant();
        default: return {};
    }
}

QVariant KernelTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(
            (section == Kernel || section == Setting || section == Dots ? Qt::AlignLeft : Qt::AlignRight) |
            Qt::AlignVCenter);
    if (role == Qt::ToolTipRole && section == Gate)
        return tr("Weight of the rest beside the exact keys, one per kernel and head, fitted on training rows");
    if (role != Qt::DisplayRole) return {};
    switch (section) {
        case Kernel: return tr("kernel");
        case Head: return headTitle_;
        case Gate: return tr("gate");
        case Layer: return layerTitle_;
        case AfterWo: return tr("after Wₒ");
        case Draws: return tr("draws");
        case Setting: return tr("setting");
        default: return QString();  // the heading draws the reference lines there
    }
}

void KernelTableModel::sort(int column, Qt::SortOrder order) {
    sortColumn_ = column == Dots ? Head : column;
    order_ = order;
    beginResetModel();
    sortRows();
    endResetModel();
}

void KernelTableModel::sortRows() {
    if (rows_.size() < 2) return;
    const auto less = [this](const KernelRow& a, const KernelRow& b) {
        const QVariant x = sortValue(cell(a, sortColumn_)), y = sortValue(cell(b, sortColumn_));
        return x.typeId() == QMetaType::QString ? x.toString() < y.toString() : x.toDouble() < y.toDouble();
    };
    const auto first = rows_.front().name == "softmax" ? rows_.begin() + 1 : rows_.begin();
    std::stable_sort(first, rows_.end(), [&](const KernelRow& a, const KernelRow& b) {
        return order_ == Qt::AscendingOrder ? less(a, b) : less(b, a);
    });
}

}  // namespace dimscope::app
