// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/grouping_page.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

#include "analysis/figures/findings.h"
#include "analysis/figures/grouping_figures.h"
#include "app/report/head_figures.h"
#include "app/window/appearance.h"
#include "app/window/cell_delegate.h"
#include "app/window/data_table.h"
#include "app/window/figure_panel.h"
#include "app/window/figure_view.h"
#include "app/window/findings_row.h"
#include "app/window/highlight.h"
#include "app/window/layer_profiles.h"
#include "app/window/qt_text.h"
#include "app/window/table_panel.h"

namespace dimscope::app {
namespace {

constexpr int kLeastGroupingHeight = 640, kCutRowHeight = 22;

}  // namespace

GroupingPage::GroupingPage(const PageContext& context, QWidget* parent)
    : Page(context, parent),
      sorted_(addFigure()),
      support_(addFigure()),
      counts_(addFigure()),
      cuts_(addTable(kCutRowHeight)),
      groups_(addTable(kCutRowHeight)) {
    build();
    wire();
}

void GroupingPage::build() {
    auto* fold = new QWidget(body());
    auto* figures = new QVBoxLayout;
    figures->setSpacing(8);
    figures->addWidget(sorted_, 12);
    figures->addWidget(support_, 10);
    figures->addWidget(counts_, 8);
    auto* tables = new QVBoxLayout;
    tables->setSpacing(8);
    tables->addWidget(cuts_, 12);
    tables->addWidget(groups_, 18);
    auto* columns = new QHBoxLayout(fold);
    columns->setContentsMargins(0, 4, 0, 4);
    columns->addLayout(figures, 11);
    columns->addLayout(tables, 9);
    setFold(fold, kLeastGroupingHeight, columns);
    auto* all = new QVBoxLayout(body());
    all->setContentsMargins(12, 0, 12, 8);
    all->setSpacing(0);
    all->addWidget(fold);
    all->addStretch(1);
}

void GroupingPage::wire() {
    linkDimensions(*sorted_, [this](double from, double to) {
        std::vector<int> dimensions;
        const analysis::HeadGrouping* grouping = context().profiles.chosenGrouping();
        for (std::size_t n = 0; grouping != nullptr && n < grouping->order.size(); ++n)
            if (static_cast<double>(n) + 1.0 >= from && static_cast<double>(n) + 1.0 <= to)
                dimensions.push_back(grouping->order[n]);
        return dimensions;
    });
    connect(&context().profiles, &LayerProfiles::chosenChanged, this, &GroupingPage::invalidate);
    connect(&counts_->view(), &FigureView::clicked, this, &GroupingPage::chooseRow);
    connect(&groups_->view(), &QTableView::doubleClicked, this,
            [this](const QModelIndex& index) { chooseRow(groups_->sourceRow(index)); });
    groups_->delegate().setMarked([this](const QModelIndex& index) {
        const auto& grouping = context().profiles.grouping();
        const auto row = static_cast<std::size_t>(groups_->sourceRow(index));
        return grouping && context().model.choice() && row < grouping->heads.size() &&
               grouping->heads[row].head == context().model.choice()->head;
    });
    groups_->setColumns({{"layer", {.hidden = true}},  // one layer: its number stands in the title
                         {"head", {.heading = tr("head"), .width = 44}},
                         {"groups", {.heading = tr("groups"), .width = 52}},
                         {"outliers", {.heading = tr("outliers")}},
                         {"count", {.hidden = true}},
                         {"share", {.heading = tr("share"), .width = 58}},
                         {"least_ratio", {.heading = tr("least ρ"), .width = 58}},
                         {"least_support", {.heading = tr("support"), .width = 58}}});
    groups_->view().setToolTip(tr("Double click: look at this head"));
}

void GroupingPage::chooseRow(int row) {
    const auto& grouping = context().profiles.grouping();
    if (!grouping || row < 0 || row >= static_cast<int>(grouping->heads.size())) return;
    const analysis::HeadGrouping& head = grouping->heads[static_cast<std::size_t>(row)];
    context().model.choose({head.layer, head.head});
}

void GroupingPage::refresh() {
    QString notice = profileNotice();
    if (notice.isEmpty() && !context().profiles.grouping())
        notice = context().profiles.groupingFailure().isEmpty()
                     ? tr("Grouping…")
                     : tr("There is no grouping. %1").arg(context().profiles.groupingFailure());
    if (notice.isEmpty())
        showGroups();
    else
        showNotice(notice);
}

void GroupingPage::showNotice(const QString& notice) {
    setDimensionHeader({});
    findings().setFindings({});
    sorted_->setNotice(tr("Sorted profile"), notice);
    support_->setNotice(tr("Support of cuts"), {});
    counts_->setNotice(tr("Outlier dimensions per head"), {});
    cuts_->clear(tr("Candidate cuts"));
    groups_->clear(tr("Groups of the layer"));
}

void GroupingPage::showGroups() {
    const auto profile = context().profiles.chosenLayer();
    const auto& grouping = context().profiles.grouping();
    const HeadResults results{*context().model.workspace().layer(), *profile, *context().profiles.chosenHead(),
                              grouping.get()};
    setDimensionHeader(tr("%1 draws over %2 prompts").arg(grouping->params.replicates).arg(profile->prompts.size()));
    sorted_->setFigure(sortedOf(results, figureOptions(context().model.parameters(), {})));
    counts_->setFigure(analysis::outlierCountFigure(*grouping));
    groups_->setTable(analysis::groupingTable(*grouping), tr("Groups of layer %1").arg(results.layer.layer.value));
    if (const analysis::HeadGrouping* head = results.headGrouping()) {
        findings().setFindings(analysis::groupingFindings(*head, grouping->params));
        support_->setFigure(analysis::supportFigure(*grouping, *head));
        cuts_->setTable(analysis::cutsTable(*grouping, *head), tr("Candidate cuts"));
    } else {
        findings().setFindings({});
        support_->setNotice(tr("Support of cuts"), tr("The head has NaN or Inf and no groups."));
        cuts_->clear(tr("Candidate cuts"));
    }
}

QString GroupingPage::help() const {
    return tr(
        "<b>Grouping</b> separates outlier dimensions from the bulk.<br><br>"
        "Contributions are sorted; a cut may lie in the upper tail (α), where neighbours differ by a ratio of at least "
        "τ. "
        "Prompts are drawn again B times with replacement; the share of draws that agree with a cut is its support, "
        "and "
        "at least γ of them must. Where fewer than the least number of groups remain, the best cuts are filled "
        "in.<br><br>"
        "The groups are used by OAL on the Kernels page. A click on a bar, or a double click on a row, chooses that "
        "head.");
}

}  // namespace dimscope::app
