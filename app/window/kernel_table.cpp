// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/kernel_table.h"

#include <QHeaderView>
#include <algorithm>

#include "app/window/appearance.h"
#include "app/window/data_table.h"
#include "app/window/kernel_dots.h"
#include "app/window/kernel_table_model.h"
#include "app/window/qt_text.h"

namespace dimscope::app {
namespace {

constexpr int kKernelRowHeight = 20, kLeastRows = 8;
constexpr int kNameWidth = 122, kNumberWidth = 76, kDrawsWidth = 52, kSettingWidth = 150;

}  // namespace

KernelTable::KernelTable(const Appearance& appearance, QWidget* parent)
    : DotTable(appearance, kKernelRowHeight, parent), rows_(new KernelTableModel(this)) {
    build();
    connect(this, &DotTable::rowChosen, this, [this](int row) { emit kernelChosen(qt(rows_->row(row).name)); });
}

void KernelTable::build() {
    using Model = KernelTableModel;
    auto* dots = new KernelDots(appearance(), view(), *rows_, scale());
    DotTable::build(*rows_, *dots, Model::Dots, tr("Error of each kernel"));
    view().sortByColumn(Model::Head, Qt::AscendingOrder);
    setColumnWidths({{Model::Kernel, kNameWidth},
                     {Model::Head, kNumberWidth},
                     {Model::Gate, kNumberWidth},
                     {Model::Layer, kNumberWidth},
                     {Model::AfterWo, kNumberWidth},
                     {Model::Draws, kDrawsWidth},
                     {Model::Setting, kSettingWidth}});
    view().setColumnHidden(Model::Gate, true);
    dots->setMarked([this](const QModelIndex& index) { return rows_->row(index.row()).name == chosen_; });
    dots->setLook([this](const QModelIndex& index) {
        CellLook look;
        look.bold = index.column() == Model::Head || rows_->row(index.row()).name == chosen_;
        if (index.column() == Model::Setting) look.colour = appearance().colours().secondary;
        return look;
    });
    fitHeight(kLeastRows);
}

void KernelTable::setRows(std::vector<KernelRow> rows, const DotScale& scale, HeadChoice choice, const QString& caption,
                          bool layerComing) {
    showGates(hasGates(rows));
    setCaption(tr("Error per kernel"), caption);
    rows_->setRows(std::move(rows), tr("head %1").arg(choice.head.value), tr("layer %1").arg(choice.layer.value),
                   layerComing);
    fitHeight(std::max(rows_->rowCount(), kLeastRows));
    setScale(scale);
}

void KernelTable::clear(const QString& notice) {
    setCaption(tr("Error per kernel"), notice);
    setScale({});
    rows_->setRows({}, {}, {}, false);
}

void KernelTable::showGates(bool shown) {
    view().setColumnHidden(KernelTableModel::Gate, !shown);
    if (!shown && view().horizontalHeader()->sortIndicatorSection() == KernelTableModel::Gate)
        view().sortByColumn(KernelTableModel::Head, Qt::AscendingOrder);
}

void KernelTable::setChosen(const std::string& kernel) {
    chosen_ = kernel;
    view().viewport()->update();
}

}  // namespace dimscope::app
