// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/dot_table.h"

#include <QHeaderView>
#include <QMenu>
#include <QScrollBar>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/window/caption_row.h"
#include "app/window/data_table.h"

namespace dimscope::app {

DotTable::DotTable(const Appearance& appearance, int rowHeight, QWidget* parent)
    : QWidget(parent),
      appearance_(appearance),
      rowHeight_(rowHeight),
      scale_(std::make_shared<DotScale>()),
      caption_(new CaptionRow(appearance, tr("table"), this)),
      view_(new DataTable(appearance, rowHeight, this)),
      axis_(new DotAxis(appearance, scale_, this)) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(caption_);
    column->addWidget(view_);
    column->addWidget(axis_);
    connect(caption_, &CaptionRow::copyAsked, view_, &DataTable::copySelection);
    connect(caption_, &CaptionRow::exportAsked, this, [this] {
        QMenu menu;
        menu.addAction(tr("Export figure…"), this, &DotTable::exportFigureAsked);
        menu.addAction(tr("Export table…"), this, &DotTable::exportTableAsked);
        menu.exec(caption_->exportButton()->mapToGlobal(QPoint(0, caption_->exportButton()->height())));
    });
}

void DotTable::build(QAbstractItemModel& rows, DotDelegate& delegate, int dotsColumn, const QString& accessibleName) {
    dotsColumn_ = dotsColumn;
    auto* header = new DotHeader(appearance_, scale_, dotsColumn, view_);
    view_->setHorizontalHeader(header);
    view_->setModel(&rows);
    view_->setItemDelegate(&delegate);
    view_->setSortingEnabled(true);
    view_->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    view_->setAccessibleName(accessibleName);
    header->setSectionResizeMode(QHeaderView::Fixed);
    header->setSectionResizeMode(dotsColumn, QHeaderView::Stretch);
    connect(header, &QHeaderView::sectionResized, this, &DotTable::placeAxis);
    connect(view_->horizontalScrollBar(), &QScrollBar::valueChanged, this, &DotTable::placeAxis);
    connect(view_, &QTableView::clicked, this, [this](const QModelIndex& index) { emit rowChosen(index.row()); });
    connect(view_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& index) {
        if (index.isValid() && view_->hasFocus()) emit rowChosen(index.row());
    });
}

void DotTable::setColumnWidths(std::initializer_list<std::pair<int, int>> widths) {
    for (const auto& [column, width] : widths) view_->horizontalHeader()->resizeSection(column, width);
}

void DotTable::setCaption(const QString& title, const QString& caption) { caption_->setText(title, caption); }

void DotTable::setScale(const DotScale& scale) {
    *scale_ = scale;
    view_->horizontalHeader()->viewport()->update();
    view_->viewport()->update();
    placeAxis();
}

void DotTable::fitHeight(int rows) {
    view_->setFixedHeight(view_->horizontalHeader()->sizeHint().height() + rows * rowHeight_ + 1);
}

void DotTable::placeAxis() {
    axis_->setColumn(view_->columnViewportPosition(dotsColumn_), view_->columnWidth(dotsColumn_));
}

void DotTable::resizeEvent(QResizeEvent*) { placeAxis(); }

}  // namespace dimscope::app
