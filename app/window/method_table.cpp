// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/method_table.h"

#include <QHeaderView>
#include <QSignalBlocker>
#include <algorithm>
#include <cmath>

#include "analysis/figures/intervention_figures.h"
#include "app/window/appearance.h"
#include "app/window/data_table.h"
#include "app/window/method_dots.h"
#include "app/window/method_table_model.h"
#include "app/window/qt_text.h"

namespace dimscope::app {
namespace {

constexpr int kMethodRowHeight = 26, kLeastMethodRows = 4, kLeastFullWidth = 680;
constexpr int kMethodWidth = 126, kRatioWidth = 92, kGaussianWidth = 116, kRandomWidth = 74, kPWidth = 62,
              kSubsetsWidth = 62;

}  // namespace

MethodTable::MethodTable(const Appearance& appearance, QWidget* parent)
    : DotTable(appearance, kMethodRowHeight, parent), rows_(new MethodTableModel(this)) {
    build();
    connect(this, &DotTable::rowChosen, this, [this](int row) { emit methodChosen(qt(rows_->row(row).kernel)); });
    connect(rows_, &QAbstractItemModel::modelReset, this, &MethodTable::showRows);
}

void MethodTable::build() {
    using Model = MethodTableModel;
    auto* dots = new MethodDots(appearance(), view(), *rows_, scale());
    DotTable::build(*rows_, *dots, Model::Dots, tr("Retained error of each method"));
    view().sortByColumn(Model::Pretrained, Qt::DescendingOrder);
    setColumnWidths({{Model::Method, kMethodWidth},
                     {Model::Pretrained, kRatioWidth},
                     {Model::Gaussian, kGaussianWidth},
                     {Model::Random, kRandomWidth},
                     {Model::P, kPWidth},
                     {Model::Subsets, kSubsetsWidth}});
    dots->setMarked([this](const QModelIndex& index) { return rows_->row(index.row()).kernel == chosen_; });
    dots->setLook([this](const QModelIndex& index) {
        CellLook look;
        look.bold = index.column() == Model::Pretrained ||
                    (index.column() == Model::Method && rows_->row(index.row()).kernel == chosen_);
        return look;
    });
    fitHeight(kLeastMethodRows);
}

void MethodTable::resizeEvent(QResizeEvent* event) {
    const bool narrow = width() < kLeastFullWidth;
    for (const int column : {MethodTableModel::Gaussian, MethodTableModel::Random, MethodTableModel::Subsets})
        view().setColumnHidden(column, narrow);
    DotTable::resizeEvent(event);
}

void MethodTable::setResult(const analysis::InterventionResult& result, bool coming) {
    const std::size_t cells = result.methods.empty() ? 0 : result.methods.front().retained.cells.size();
    setCaption(tr("Retained error"),
               tr("Rₛ: error with the kernel on S only, over its full error; mean ± s.e. over %1 cells of a layer and "
                  "sequence")
                   .arg(cells));
    DotScale scale = dotScale(analysis::retainedErrorFigure(result));
    for (auto& [name, value] : scale.references) name.clear();  // 100 % stands under the axis
    setScale(scale);
    rows_->setRows(analysis::retainedRows(result), coming);
    fitHeight(std::max(rows_->rowCount(), kLeastMethodRows));
}

void MethodTable::clear(const QString& notice) {
    setCaption(tr("Retained error"), notice);
    setScale({});
    rows_->setRows({}, false);
}

void MethodTable::setChosen(const std::string& kernel) {
    chosen_ = kernel;
    showRows();
}

/// The chosen row stays current through every reset, and the heading names the marks of the row that is first now.
void MethodTable::showRows() {
    const int chosen = rows_->rowOf(chosen_);
    if (chosen >= 0 && view().currentIndex().row() != chosen) {
        const QSignalBlocker quiet(view().selectionModel());
        view().selectionModel()->setCurrentIndex(rows_->index(chosen, 0), QItemSelectionModel::NoUpdate);
    }
    DotScale names = *scale();
    names.names.clear();
    if (rows_->rowCount() > 0) {
        const analysis::RetainedRow& first = rows_->row(0);
        const std::pair<QString, double> marks[] = {
            {tr("random subsets"), first.median}, {tr("Gaussian"), first.gaussian}, {tr("pretrained"), first.ratio}};
        for (const auto& [name, value] : marks)
            if (std::isfinite(value) && names.holds(value)) names.names.emplace_back(name.toStdString(), value);
    }
    setScale(names);
}

}  // namespace dimscope::app
