// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/table_panel.h"

#include <QHeaderView>
#include <QSortFilterProxyModel>
#include <QVBoxLayout>

#include "app/window/caption_row.h"
#include "app/window/cell_delegate.h"
#include "app/window/data_table.h"
#include "app/window/export_files.h"
#include "app/window/qt_text.h"
#include "app/window/table_model.h"

namespace dimscope::app {

TablePanel::TablePanel(const Appearance& appearance, int rowHeight, QWidget* parent)
    : QWidget(parent),
      appearance_(appearance),
      caption_(new CaptionRow(appearance, tr("table"), this)),
      view_(new DataTable(appearance, rowHeight, this)),
      delegate_(new CellDelegate(appearance, *view_)),
      model_(new TableModel(this)),
      sorted_(new QSortFilterProxyModel(this)) {
    sorted_->setSourceModel(model_);
    sorted_->setSortRole(TableModel::SortRole);
    view_->setModel(sorted_);
    view_->setItemDelegate(delegate_);
    view_->setSortingEnabled(true);
    view_->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(caption_);
    column->addWidget(view_, 1);
    connect(caption_, &CaptionRow::copyAsked, this, &TablePanel::copy);
    connect(caption_, &CaptionRow::exportAsked, this, &TablePanel::exportTable);
}

void TablePanel::setTable(analysis::Table table, const QString& title, const std::string& sortColumn) {
    caption_->setText(title, title.isEmpty() ? qt(table.caption) : QString());
    const bool first = model_->columnCount() == 0;
    int column = -1;
    for (std::size_t c = 0; c < table.columns.size(); ++c)
        if (table.columns[c].name == sortColumn) column = static_cast<int>(c);
    model_->setTable(std::make_shared<const analysis::Table>(std::move(table)));
    if (first) showColumns();
    if (first && column >= 0) view_->sortByColumn(column, Qt::DescendingOrder);
}

void TablePanel::setColumns(std::map<std::string, ColumnView> columns) {
    columns_ = std::move(columns);
    std::map<std::string, QString> headings;
    for (const auto& [name, column] : columns_)
        if (!column.heading.isEmpty()) headings[name] = column.heading;
    model_->setHeadings(std::move(headings));
    showColumns();
}

void TablePanel::showColumns() {
    if (!model_->table()) return;
    QHeaderView& header = *view_->horizontalHeader();
    for (int c = 0; c < model_->columnCount(); ++c) {
        const auto found = columns_.find(model_->table()->columns[static_cast<std::size_t>(c)].name);
        const ColumnView column = found == columns_.end() ? ColumnView{} : found->second;
        header.setSectionHidden(c, column.hidden);
        header.setSectionResizeMode(c, column.width > 0 ? QHeaderView::Fixed : QHeaderView::Stretch);
        if (column.width > 0) header.resizeSection(c, column.width);
    }
}

void TablePanel::clear(const QString& title) {
    caption_->setText(title, {});
    if (!model_->table()) return;
    analysis::Table empty = *model_->table();
    for (analysis::Column& column : empty.columns) column.cells.clear();
    model_->setTable(std::make_shared<const analysis::Table>(std::move(empty)));
}

const std::shared_ptr<const analysis::Table>& TablePanel::table() const { return model_->table(); }

int TablePanel::sourceRow(const QModelIndex& index) const { return sorted_->mapToSource(index).row(); }

QModelIndex TablePanel::viewIndex(int sourceRow) const { return sorted_->mapFromSource(model_->index(sourceRow, 0)); }

void TablePanel::copy() { view_->copySelection(); }

void TablePanel::exportTable() {
    if (table() && table()->rows() > 0) askAndWriteTable(*table(), window());
}

}  // namespace dimscope::app
