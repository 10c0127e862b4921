// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/profile_page.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "analysis/figures/dimension_axis.h"
#include "analysis/figures/findings.h"
#include "analysis/figures/profile_figures.h"
#include "app/core/layer_jobs.h"
#include "app/report/head_figures.h"
#include "app/window/appearance.h"
#include "app/window/cell_delegate.h"
#include "app/window/data_table.h"
#include "app/window/figure_panel.h"
#include "app/window/findings_row.h"
#include "app/window/highlight.h"
#include "app/window/layer_profiles.h"
#include "app/window/qt_text.h"
#include "app/window/table_model.h"
#include "app/window/table_panel.h"

namespace dimscope::app {
namespace {

constexpr int kFigureSpacing = 6, kTokenHeight = 300, kLeastProfileHeight = 560, kTopRowHeight = 22;

}  // namespace

ProfilePage::ProfilePage(const PageContext& context, QWidget* parent)
    : Page(context, parent),
      magnitude_(addFigure()),
      contribution_(addFigure()),
      sorted_(addFigure()),
      top_(addTable(kTopRowHeight)),
      tokens_(addFigure()) {
    build();
    wire();
}

void ProfilePage::build() {
    auto* fold = new QWidget(body());
    auto* bottom = new QHBoxLayout;
    bottom->addWidget(sorted_, 9);
    bottom->addWidget(top_, 10);
    auto* column = new QVBoxLayout(fold);
    column->setContentsMargins(0, 4, 0, 4);
    column->setSpacing(kFigureSpacing);
    column->addWidget(magnitude_, 20);
    column->addWidget(contribution_, 23);
    column->addLayout(bottom, 24);
    setFold(fold, kLeastProfileHeight, bottom);
    auto* all = new QVBoxLayout(body());
    all->setContentsMargins(12, 0, 2, 8);  // the scroll bar stands in the right margin
    all->addWidget(fold);
    all->addWidget(tokens_);
    all->addStretch(1);
    tokens_->setFixedHeight(kTokenHeight);
}

void ProfilePage::wire() {
    const auto natural = [this](double from, double to) { return dimensionsIn(from, to); };
    linkDimensions(*magnitude_, natural);
    linkDimensions(*contribution_, natural);
    linkDimensions(*sorted_, [this](double from, double to) { return ranksIn(from, to); });
    linkDimensions(*top_, [this](int row) { return dimensionOfRow(row); });
    top_->setColumns({{"share", {.width = 104}}, {"chi", {.heading = "χ"}}, {"dim", {.width = 44}}});
    const auto dimensionAt = [this](const QModelIndex& index) { return dimensionOfRow(top_->sourceRow(index)); };
    top_->delegate().setMarked([this, dimensionAt](const QModelIndex& index) {
        const int dimension = dimensionAt(index);
        const auto& brushed = context().highlight.brushed();
        return dimension == context().highlight.hovered() ||
               std::find(brushed.begin(), brushed.end(), dimension) != brushed.end();
    });
    top_->delegate().setLook([this, dimensionAt](const QModelIndex& index) {
        const analysis::HeadProfile* head = context().profiles.chosenHead();
        CellLook look;
        if (head == nullptr) return look;
        const Colours& colours = context().appearance.colours();
        const std::vector<int> marked = analysis::markedDimensions(*head, context().profiles.chosenGrouping());
        const int dimension = dimensionAt(index);
        const bool outlier = std::find(marked.begin(), marked.end(), dimension) != marked.end();
        const std::string& column = top_->table()->columns[static_cast<std::size_t>(index.column())].name;
        if (column == "dim") {
            look.bold = true;
            if (outlier) look.colour = colours.outlierText;
        } else if (column == "share" && head->top1 > 0.0) {
            look.bar = index.data(TableModel::SortRole).toDouble() / head->top1;
            look.barColour = outlier ? colours.figure.outlierQuery : colours.figure.bulkQuery;
        }
        return look;
    });
    connect(&context().profiles, &LayerProfiles::chosenChanged, this, &ProfilePage::invalidate);
}

std::vector<int> ProfilePage::dimensionsIn(double from, double to) const {
    const analysis::LayerInfo* layer = context().model.workspace().layer();
    std::vector<int> dimensions;
    if (layer == nullptr) return dimensions;
    const analysis::DimensionAxis axis(static_cast<int>(layer->headDim), *layer,
                                       context().model.parameters().foldPairs);
    for (int d = 0; d < axis.headDim(); ++d)
        if (axis.position(d) + 0.5 >= from && axis.position(d) - 0.5 <= to) dimensions.push_back(d);
    return dimensions;
}

std::vector<int> ProfilePage::ranksIn(double from, double to) const {
    const analysis::HeadProfile* head = context().profiles.chosenHead();
    std::vector<int> dimensions;
    if (head == nullptr) return dimensions;
    for (std::size_t n = 0; n < head->order.size(); ++n) {
        const double rank = static_cast<double>(n) + 1.0;
        if (rank >= from && rank <= to) dimensions.push_back(head->order[n]);
    }
    return dimensions;
}

int ProfilePage::dimensionOfRow(int row) const {
    const analysis::Column* column = top_->table() ? top_->table()->find("dim") : nullptr;
    if (column == nullptr || row < 0 || row >= static_cast<int>(column->cells.size())) return -1;
    return static_cast<int>(std::get<std::int64_t>(column->cells[static_cast<std::size_t>(row)]));
}

void ProfilePage::refresh() {
    const QString notice = profileNotice();
    if (notice.isEmpty())
        showHead();
    else
        showNotice(notice);
}

void ProfilePage::showNotice(const QString& notice) {
    setDimensionHeader({});
    findings().setFindings({});
    magnitude_->setNotice(tr("Magnitude per dimension"), notice);
    contribution_->setNotice(tr("Contribution share"), {});
    sorted_->setNotice(tr("Sorted profile"), {});
    tokens_->setNotice(tr("Single tokens"), {});
    tokensJob_.reset();
    tokensShown_.clear();
    top_->clear(tr("Top dimensions"));
}

void ProfilePage::showHead() {
    const auto profile = context().profiles.chosenLayer();
    const analysis::HeadProfile& head = *context().profiles.chosenHead();
    const analysis::LayerInfo& layer = *context().model.workspace().layer();
    const HeadResults results{layer, *profile, head, context().profiles.grouping().get()};
    // Brushed dimensions are drawn by the view, so that a brush does not build the figures again.
    const analysis::FigureOptions options = figureOptions(context().model.parameters(), {});
    setDimensionHeader(tr("%1 prompts").arg(profile->prompts.size()) +
                       (layer.rope == "post" ? tr(" · after RoPE") : QString()));
    findings().setFindings(analysis::profileFindings(head, layer, results.headGrouping()));
    magnitude_->setFigure(magnitudeOf(results, options));
    contribution_->setFigure(contributionOf(results, options));
    sorted_->setFigure(sortedOf(results, options));
    showTable();
    loadTokens();
}

void ProfilePage::showTable() {
    const analysis::HeadProfile& head = *context().profiles.chosenHead();
    if (!head.usable()) return top_->clear(tr("Top dimensions"));
    top_->setTable(
        analysis::topDimensionsTable(*context().profiles.chosenLayer(), head, *context().model.workspace().layer()),
        tr("Top dimensions"), "share");
}

void ProfilePage::loadTokens() {
    const auto profile = context().profiles.chosenLayer();
    if (profile->prompts.empty()) return;
    const HeadChoice choice = *context().model.choice();
    const PromptIndex prompt = profile->prompts.front();
    const QString wanted = QString("%1 %2 %3 %4")
                               .arg(qt(profile->provenance.started))
                               .arg(choice.layer.value)
                               .arg(choice.head.value)
                               .arg(prompt.value);
    if (wanted == tokensShown_) return;
    tokensShown_ = wanted;
    tokens_->setNotice(tr("Single tokens"), tr("Reading…"));
    tokensJob_ = context().model.pump().io(
        [jobContext = context().model.ioContext(), profile, choice, prompt](const RunControl& control) {
            const HeadTensors tensors = loadHeadTensors(jobContext, choice.layer, choice.head, prompt, control);
            return analysis::tokenMapFigure(*profile->find(choice.layer, choice.head), prompt,
                                            kernels::viewOf(tensors.query->values),
                                            kernels::viewOf(tensors.key->values), profile->provenance);
        },
        [this](JobOutcome<analysis::Figure> outcome) {
            if (auto* figure = std::get_if<analysis::Figure>(&outcome)) tokens_->setFigure(std::move(*figure));
            if (const auto* failure = std::get_if<JobFailure>(&outcome))
                tokens_->setNotice(tr("Single tokens"), tr("The tensors could not be read. %1").arg(qt(failure->text)));
            if (std::holds_alternative<Cancelled>(outcome)) tokensShown_.clear();
        },
        "Token maps");
}

QString ProfilePage::help() const {
    return tr(
        "<b>Profile</b> shows which dimensions carry the attention of the chosen head.<br><br>"
        "<b>Magnitude</b>: mean |q| upwards and mean |k| downwards per dimension; whiskers: range over prompts.<br>"
        "<b>Contribution share</b>: χ of a dimension is the mean of |q k| times the scale over all visible pairs of "
        "positions, here as a share of the sum. Arcs join the RoPE partners among the outliers.<br>"
        "<b>Sorted profile</b>: the same shares by rank, with the cut between bulk and outliers and its bootstrap "
        "support.<br>"
        "<b>Single tokens</b> (below): whether a few positions make the outliers.<br><br>"
        "Hover marks a dimension everywhere, a click keeps it, dragging along the axis brushes several, Esc releases.");
}

}  // namespace dimscope::app
