// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/method_table_model.h"

#include <algorithm>
#include <cmath>

#include "analysis/figures/intervention_figures.h"
#include "analysis/figures/kernel_parts.h"
#include "app/window/qt_text.h"
#include "app/window/table_model.h"

namespace dimscope::app {
namespace {

using analysis::RetainedRow;

analysis::Cell cellOf(const RetainedRow& row, int column) {
    switch (column) {
        case MethodTableModel::Method: return analysis::kernelTitle(row.kernel);
        case MethodTableModel::Gaussian: return row.gaussian;
        case MethodTableModel::Random: return row.median;
        case MethodTableModel::P: return row.p;
        case MethodTableModel::Subsets: return static_cast<std::int64_t>(row.subsets);
        default: return row.ratio;
    }
}

}  // namespace

void MethodTableModel::setRows(std::vector<RetainedRow> rows, bool coming) {
    beginResetModel();
    rows_ = std::move(rows);
    coming_ = coming;
    sortRows();
    endResetModel();
}

int MethodTableModel::rowOf(const std::string& kernel) const {
    const auto found = std::find_if(rows_.begin(), rows_.end(), [&](const auto& row) { return row.kernel == kernel; });
    return found == rows_.end() ? -1 : static_cast<int>(found - rows_.begin());
}

int MethodTableModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int MethodTableModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : ColumnCount; }

QString MethodTableModel::missing() const { return coming_ ? QString("…") : QString("–"); }

QString MethodTableModel::displayed(const RetainedRow& row, int column) const {
    switch (column) {
        case Method: return qt(analysis::kernelTitle(row.kernel));
        case Pretrained: return qt(analysis::percentWithError(row.ratio, row.error));
        case Gaussian:
            return std::isfinite(row.gaussian) ? qt(analysis::percentWithError(row.gaussian, row.gaussianError))
                                               : missing();
        case Random: return row.subsets > 0 ? qt(analysis::percentNumber(row.median)) : missing();
        case P: return row.subsets > 0 ? qt(analysis::shortProbability(row.p)) : missing();
        case Subsets:
            if (row.subsets == 0) return missing();
            return QString::number(row.subsets) + (row.subsets < row.wanted ? "…" : "");
        default: return {};
    }
}

QVariant MethodTableModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const RetainedRow& of = row(index.row());
    switch (role) {
        case Qt::DisplayRole: return displayed(of, index.column());
        case Qt::TextAlignmentRole: return headerData(index.column(), Qt::Horizontal, role);
        case TableModel::SortRole: return sortValue(cellOf(of, index.column()));
        case TableModel::ExactRole: return exactText(cellOf(of, index.column()));
        case Qt::ToolTipRole: return qt(analysis::retainedText(of));
        default: return {};
    }
}

QVariant MethodTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue((section == Method || section == Dots ? Qt::AlignLeft : Qt::AlignRight) |
                                   Qt::AlignVCenter);
    if (role == Qt::ToolTipRole) switch (section) {
            case Pretrained: return tr("R_S of the dump, mean and standard error over layers and sequences");
            case Gaussian:
                return tr("R_S with Gaussian queries and keys, mean and standard error over draws and cells");
            case Random: return tr("R of random subsets of as many dimensions, median");
            case P: return tr("At most: share of random subsets, with the dimensions in S, that reach R_S");
            case Subsets: return tr("Random subsets that are finished; … : more are to come");
            default: return {};
        }
    if (role != Qt::DisplayRole) return {};
    switch (section) {
        case Method: return tr("method");
        case Pretrained: return tr("pretrained, %");
        case Gaussian: return tr("Gaussian, %");
        case Random: return tr("random, %");
        case P: return tr("p");
        case Subsets: return tr("subsets");
        default: return QString();  // the heading names the marks there
    }
}

void MethodTableModel::sort(int column, Qt::SortOrder order) {
    sortColumn_ = column == Dots ? Pretrained : column;
    order_ = order;
    beginResetModel();
    sortRows();
    endResetModel();
}

void MethodTableModel::sortRows() {
    const auto less = [this](const RetainedRow& a, const RetainedRow& b) {
        const QVariant x = sortValue(cellOf(a, sortColumn_)), y = sortValue(cellOf(b, sortColumn_));
        return x.typeId() == QMetaType::QString ? x.toString() < y.toString() : x.toDouble() < y.toDouble();
    };
    std::stable_sort(rows_.begin(), rows_.end(), [&](const RetainedRow& a, const RetainedRow& b) {
        return order_ == Qt::AscendingOrder ? less(a, b) : less(b, a);
    });
}

}  // namespace dimscope::app
