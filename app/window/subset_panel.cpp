// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/subset_panel.h"

#include <QHeaderView>
#include <QLabel>
#include <QVBoxLayout>

#include "app/window/appearance.h"
#include "app/window/cell_delegate.h"
#include "app/window/data_table.h"
#include "app/window/layer_profiles.h"
#include "app/window/qt_text.h"
#include "app/window/table_model.h"

namespace dimscope::app {
namespace {

constexpr int kHeadRowHeight = 20, kMostRows = 40;  // the panel scrolls before the table does

analysis::Table subsetTable(const analysis::GroupingResult& grouping) {
    analysis::Table table;
    table.name = "subset";
    table.columns = {{"head", "head", "", {}, {}},
                     {"dimensions", "dimensions", "", {}, {}},
                     {"share", "share", "", analysis::NumberStyle::Percent, {}}};
    for (const analysis::HeadGrouping& head : grouping.heads) {
        table.columns[0].cells.emplace_back(std::int64_t{head.head.value});
        if (head.usable) {
            table.columns[1].cells.emplace_back(std::vector<std::int64_t>(head.outliers.begin(), head.outliers.end()));
            table.columns[2].cells.emplace_back(head.outlierShare());
        } else {
            table.columns[1].cells.emplace_back(std::string("NaN or Inf"));
            table.columns[2].cells.emplace_back(std::monostate{});
        }
    }
    return table;
}

}  // namespace

SubsetPanel::SubsetPanel(const Appearance& appearance, WorkspaceModel& model, LayerProfiles& profiles, QWidget* parent)
    : QWidget(parent),
      appearance_(appearance),
      model_(model),
      profiles_(profiles),
      view_(new DataTable(appearance, kHeadRowHeight, this)),
      rows_(new TableModel(this)),
      delegate_(new CellDelegate(appearance, *view_)),
      summary_(new QLabel(this)) {
    view_->setModel(rows_);
    view_->setItemDelegate(delegate_);
    view_->setSelectionMode(QAbstractItemView::NoSelection);
    view_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    view_->setAccessibleName(tr("Outlier dimensions of each head"));
    summary_->setWordWrap(true);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(8, 4, 8, 8);
    column->addWidget(view_);
    column->addWidget(summary_);
    column->addStretch(1);
    const auto isChosen = [this](const QModelIndex& index) {
        return model_.choice() &&
               index.siblingAtColumn(0).data(TableModel::SortRole).toInt() == model_.choice()->head.value;
    };
    delegate_->setMarked(isChosen);
    delegate_->setLook([this, isChosen](const QModelIndex& index) {
        CellLook look;
        look.bold = isChosen(index);
        if (look.bold && index.column() == 1) look.colour = appearance_.colours().outlierText;
        return look;
    });
    connect(view_, &QTableView::clicked, this, [this](const QModelIndex& index) {
        if (!model_.choice()) return;
        const int head = index.siblingAtColumn(0).data(TableModel::SortRole).toInt();
        model_.choose({model_.choice()->layer, analysis::HeadIndex{head}});
    });
    connect(&profiles_, &LayerProfiles::chosenChanged, this, &SubsetPanel::refresh);
    connect(&model_, &WorkspaceModel::opened, this, &SubsetPanel::refresh);
    connect(&appearance_, &Appearance::changed, this, &SubsetPanel::updateSummary);
}

void SubsetPanel::refresh() {
    const auto& grouping = profiles_.grouping();
    rows_->setTable(grouping ? std::make_shared<const analysis::Table>(subsetTable(*grouping)) : nullptr);
    if (grouping) {
        QHeaderView& header = *view_->horizontalHeader();
        header.setSectionResizeMode(0, QHeaderView::Fixed);
        header.setSectionResizeMode(1, QHeaderView::Stretch);
        header.setSectionResizeMode(2, QHeaderView::Fixed);
        header.resizeSection(0, 38);
        header.resizeSection(2, 58);
        view_->setFixedHeight(std::min(rows_->rowCount(), kMostRows) * kHeadRowHeight + header.sizeHint().height() + 2);
        if (model_.choice()) view_->scrollTo(rows_->index(model_.choice()->head.value, 0));
    }
    emit titleChanged(model_.choice() ? tr("Subset S · layer %1").arg(model_.choice()->layer.value) : tr("Subset S"));
    updateSummary();
}

void SubsetPanel::updateSummary() {
    const auto& grouping = profiles_.grouping();
    if (!grouping) {
        summary_->setText(profiles_.groupingFailure());
        return;
    }
    double dimensions = 0.0, share = 0.0;
    int heads = 0;
    std::size_t of = 0;
    for (const analysis::HeadGrouping& head : grouping->heads)
        if (head.usable) {
            ++heads;
            dimensions += static_cast<double>(head.outliers.size());
            share += head.outlierShare();
            of = head.chi.size();
        }
    if (heads == 0) return summary_->clear();
    const QString mean = tr("mean %1 of %2 dimensions, %3 of χ")
                             .arg(QString::number(dimensions / heads, 'g', 3))
                             .arg(of)
                             .arg(qt(analysis::displayText(share / heads, analysis::NumberStyle::Percent)));
    summary_->setText(
        QString("%1<br><span style='color:%2'>%3</span>")
            .arg(mean, appearance_.colours().secondary.name(), tr("Found by the grouping; used by OAL.")));
}

}  // namespace dimscope::app
