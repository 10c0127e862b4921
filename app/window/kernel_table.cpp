// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/kernel_table.h"

#include <QHeaderView>
#include <QMenu>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/window/appearance.h"
#include "app/window/caption_row.h"
#include "app/window/data_table.h"
#include "app/window/kernel_table_model.h"
#include "app/window/qt_text.h"

namespace dimscope::app {
namespace {

constexpr int kKernelRowHeight = 20;
constexpr int kNameWidth = 122, kNumberWidth = 76, kDrawsWidth = 52, kSettingWidth = 150;

}  // namespace

KernelTable::KernelTable(const Appearance& appearance, QWidget* parent)
    : QWidget(parent),
      appearance_(appearance),
      scale_(std::make_shared<DotScale>()),
      caption_(new CaptionRow(appearance, tr("table"), this)),
      view_(new DataTable(appearance, kKernelRowHeight, this)),
      rows_(new KernelTableModel(this)),
      delegate_(new DotDelegate(appearance, *view_, *rows_, scale_)),
      axis_(new DotAxis(appearance, scale_, this)) {
    build();
    connect(view_, &QTableView::clicked, this,
            [this](const QModelIndex& index) { emit kernelChosen(qt(rows_->row(index.row()).name)); });
    connect(caption_, &CaptionRow::copyAsked, view_, &DataTable::copySelection);
    connect(caption_, &CaptionRow::exportAsked, this, [this] {
        QMenu menu;
        menu.addAction(tr("Export figure…"), this, &KernelTable::exportFigureAsked);
        menu.addAction(tr("Export table…"), this, &KernelTable::exportTableAsked);
        menu.exec(caption_->exportButton()->mapToGlobal(QPoint(0, caption_->exportButton()->height())));
    });
}

void KernelTable::build() {
    auto* header = new DotHeader(appearance_, scale_, view_);
    view_->setHorizontalHeader(header);
    view_->setModel(rows_);
    view_->setItemDelegate(delegate_);
    view_->setSortingEnabled(true);
    view_->sortByColumn(KernelTableModel::Head, Qt::AscendingOrder);
    view_->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    view_->setAccessibleName(tr("Error of each kernel"));
    header->setSectionResizeMode(QHeaderView::Fixed);
    header->setSectionResizeMode(KernelTableModel::Dots, QHeaderView::Stretch);
    header->resizeSection(KernelTableModel::Kernel, kNameWidth);
    for (const int column :
         {KernelTableModel::Head, KernelTableModel::Gate, KernelTableModel::Layer, KernelTableModel::AfterWo})
        header->resizeSection(column, kNumberWidth);
    header->resizeSection(KernelTableModel::Draws, kDrawsWidth);
    header->resizeSection(KernelTableModel::Setting, kSettingWidth);
    view_->setColumnHidden(KernelTableModel::Gate, true);
    delegate_->setMarked([this](const QModelIndex& index) { return rows_->row(index.row()).name == chosen_; });
    delegate_->setLook([this](const QModelIndex& index) {
        CellLook look;
        look.bold = index.column() == KernelTableModel::Head || rows_->row(index.row()).name == chosen_;
        if (index.column() == KernelTableModel::Setting) look.colour = appearance_.colours().secondary;
        return look;
    });
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(caption_);
    column->addWidget(view_);
    column->addWidget(axis_);
    connect(header, &QHeaderView::sectionResized, this, &KernelTable::placeAxis);
    fitHeight();
}

void KernelTable::setRows(std::vector<KernelRow> rows, const DotScale& scale, HeadChoice choice, const QString& caption,
                          bool layerComing) {
    *scale_ = scale;
    showGates(hasGates(rows));
    caption_->setText(tr("Error per kernel"), caption);
    rows_->setRows(std::move(rows), tr("head %1").arg(choice.head.value), tr("layer %1").arg(choice.layer.value),
                   layerComing);
    view_->horizontalHeader()->viewport()->update();
    fitHeight();
    placeAxis();
}

void KernelTable::clear(const QString& notice) {
    caption_->setText(tr("Error per kernel"), notice);
    scale_->references.clear();
    rows_->setRows({}, {}, {}, false);
}

void KernelTable::showGates(bool shown) {
    view_->setColumnHidden(KernelTableModel::Gate, !shown);
    if (!shown && view_->horizontalHeader()->sortIndicatorSection() == KernelTableModel::Gate)
        view_->sortByColumn(KernelTableModel::Head, Qt::AscendingOrder);
}

void KernelTable::setChosen(const std::string& kernel) {
    chosen_ = kernel;
    view_->viewport()->update();
}

void KernelTable::fitHeight() {
    const int rows = std::max(rows_->rowCount(), 8);
    view_->setFixedHeight(view_->horizontalHeader()->sizeHint().height() + rows * kKernelRowHeight + 1);
}

void KernelTable::placeAxis() {
    axis_->setColumn(view_->columnViewportPosition(KernelTableModel::Dots), view_->columnWidth(KernelTableModel::Dots));
}

void KernelTable::resizeEvent(QResizeEvent*) { placeAxis(); }

}  // namespace dimscope::app
