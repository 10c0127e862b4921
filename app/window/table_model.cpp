// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/table_model.h"

#include <QLocale>
#include <cmath>
#include <limits>

#include "app/window/qt_text.h"

namespace dimscope::app {
namespace {

bool isText(const analysis::Column& column) {
    for (const analysis::Cell& cell : column.cells)
        if (!std::holds_alternative<std::monostate>(cell))
            return std::holds_alternative<std::string>(cell) || std::holds_alternative<std::vector<std::int64_t>>(cell);
    return false;
}

QString listText(const std::vector<std::int64_t>& values) {
    QStringList words;
    for (const std::int64_t value : values) words.append(QString::number(value));
    return words.join(' ');
}

}  // namespace

QString exactText(const analysis::Cell& cell) {
    if (const auto* integer = std::get_if<std::int64_t>(&cell)) return QString::number(*integer);
    if (const auto* number = std::get_if<double>(&cell))
        return std::isfinite(*number) ? QString::number(*number, 'g', QLocale::FloatingPointShortest) : QString();
    if (const auto* words = std::get_if<std::string>(&cell)) return qt(*words);
    if (const auto* list = std::get_if<std::vector<std::int64_t>>(&cell)) return listText(*list);
    return {};
}

QVariant sortValue(const analysis::Cell& cell) {
    if (const auto* integer = std::get_if<std::int64_t>(&cell)) return static_cast<double>(*integer);
    if (const auto* number = std::get_if<double>(&cell)) return std::isnan(*number) ? -HUGE_VAL : *number;
    if (std::holds_alternative<std::monostate>(cell)) return -HUGE_VAL;
    return exactText(cell);
}

void TableModel::setTable(std::shared_ptr<const analysis::Table> table) {
    beginResetModel();
    table_ = std::move(table);
    endResetModel();
}

int TableModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() || !table_ ? 0 : static_cast<int>(table_->rows());
}

int TableModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() || !table_ ? 0 : static_cast<int>(table_->columns.size());
}

const analysis::Cell& TableModel::cell(const QModelIndex& index) const {
    return table_->columns[static_cast<std::size_t>(index.column())].cells[static_cast<std::size_t>(index.row())];
}

QVariant TableModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || !table_) return {};
    const analysis::Column& column = table_->columns[static_cast<std::size_t>(index.column())];
    switch (role) {
        case Qt::DisplayRole: {
            const auto* list = std::get_if<std::vector<std::int64_t>>(&cell(index));
            return list ? listText(*list) : qt(analysis::displayText(cell(index), column.style));
        }
        case Qt::TextAlignmentRole:
            return QVariant::fromValue((isText(column) ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
        case Qt::ToolTipRole:
            return std::holds_alternative<std::vector<std::int64_t>>(cell(index)) ? exactText(cell(index)) : QVariant();
        case SortRole: return sortValue(cell(index));
        case ExactRole: return exactText(cell(index));
        default: return {};
    }
}

QVariant TableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (!table_ || orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
    const analysis::Column& column = table_->columns[static_cast<std::size_t>(section)];
    const auto shorter = headings_.find(column.name);
    if (role == Qt::DisplayRole && shorter != headings_.end()) return shorter->second;
    if (role == Qt::DisplayRole || role == Qt::ToolTipRole)
        return qt(column.unit.empty() ? column.title : column.title + " (" + column.unit + ")");
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue((isText(column) ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    return {};
}

}  // namespace dimscope::app
