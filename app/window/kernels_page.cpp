// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/kernels_page.h"

#include <QHBoxLayout>
#include <QVBoxLayout>
#include <algorithm>

#include "analysis/figures/findings.h"
#include "analysis/figures/kernel_figures.h"
#include "app/window/appearance.h"
#include "app/window/export_dialog.h"
#include "app/window/figure_panel.h"
#include "app/window/figure_view.h"
#include "app/window/findings_row.h"
#include "app/window/head_comparison.h"
#include "app/window/kernel_table.h"
#include "app/window/kernel_table_model.h"
#include "app/window/layer_profiles.h"
#include "app/window/page_header.h"
#include "app/window/qt_text.h"

namespace dimscope::app {
namespace {

constexpr int kLeastKernelsHeight = 540;
constexpr int kLeastFiguresHeight = 180;  // below the table, however many rows it has

}  // namespace

KernelsPage::KernelsPage(const PageContext& context, QWidget* parent)
    : Page(context, parent),
      table_(new KernelTable(context.appearance, body())),
      byPosition_(addFigure()),
      weights_(addFigure()) {
    build();
    wire();
}

void KernelsPage::build() {
    auto* fold = new QWidget(body());
    auto* bottom = new QHBoxLayout;
    bottom->addWidget(byPosition_, 11);
    bottom->addWidget(weights_, 9);
    auto* column = new QVBoxLayout(fold);
    column->setContentsMargins(0, 4, 0, 4);
    column->setSpacing(6);
    column->addWidget(table_);
    column->addLayout(bottom, 1);
    setFold(fold, kLeastKernelsHeight, bottom);
    auto* all = new QVBoxLayout(body());
    all->setContentsMargins(12, 0, 12, 8);
    all->setSpacing(0);
    all->addWidget(fold);
    all->addStretch(1);
}

void KernelsPage::wire() {
    connect(&context().comparison, &HeadComparison::changed, this, &KernelsPage::invalidate);
    connect(table_, &KernelTable::kernelChosen, this,
            [this](const QString& name) { chooseKernel(name.toStdString()); });
    connect(table_, &KernelTable::exportTableAsked, this, [this] {
        for (const auto& table : content().tables) askAndWriteTable(*table, window());
    });
    connect(table_, &KernelTable::exportFigureAsked, this, [this] {
        const auto figures = content().figures;
        if (!figures.empty()) ExportDialog(context().appearance, figures.front(), window()).exec();
    });
    connect(&findings(), &FindingsRow::followed, this, [this](const analysis::Finding& finding) {
        if (!finding.kernels.empty()) chooseKernel(finding.kernels.front());
    });
    FigureView& lines = byPosition_->view();
    connect(&lines, &FigureView::hovered, &lines, [&lines](int key) { lines.setHighlight({}, key, -1); });
    connect(&lines, &FigureView::clicked, this, [this](int key) {
        const auto& result = context().comparison.head();
        if (result && key >= 0 && key < static_cast<int>(result->kernels.size()))
            chooseKernel(result->kernels[static_cast<std::size_t>(key)]);
    });
}

void KernelsPage::chooseKernel(const std::string& name) {
    Parameters parameters = context().model.parameters();
    const std::vector<std::string> known = comparableKernels();
    if (std::find(known.begin(), known.end(), name) == known.end()) return;
    parameters.weightsOf = name;
    context().model.setParameters(parameters);
}

void KernelsPage::seenChanged(bool seen) { context().comparison.setWanted(seen); }

void KernelsPage::refresh() {
    const HeadComparison& comparison = context().comparison;
    if (!context().model.choice()) return showNotice(tr("Choose a head in the overview."));
    if (!comparison.failure().isEmpty()) return showNotice(tr("There is no comparison. %1").arg(comparison.failure()));
    if (!comparison.head()) return showNotice(tr("Comparing kernels…"));
    showResult();
}

void KernelsPage::showNotice(const QString& notice) {
    setDimensionHeader({});
    findings().setFindings({});
    table_->clear(notice);
    byPosition_->setNotice(tr("Error by query position"), notice);
    weights_->setNotice(tr("Attention weights"), {});
}

std::vector<KernelRow> KernelsPage::rows() const {
    const HeadComparison& comparison = context().comparison;
    return kernelRows(*comparison.head(), comparison.layer().get(), *context().model.choice(),
                      context().model.parameters(), context().profiles.chosenGrouping());
}

void KernelsPage::showResult() {
    const auto& result = context().comparison.head();
    const HeadChoice choice = *context().model.choice();
    const Parameters& parameters = context().model.parameters();
    const std::size_t rowCount = result->positions.empty() ? 0 : result->positions.front().size();
    setDimensionHeader(tr("%1 rows × %2 prompts").arg(rowCount).arg(result->prompts.size()) +
                       (context().comparison.stale() ? tr(" · computing…") : QString()));
    findings().setFindings(analysis::kernelFindings(*result, choice.layer, choice.head));
    const std::string how = analysis::evaluationText(result->evaluation);
    table_->setRows(
        rows(), dotScale(*result, choice), choice,
        tr("RelMSE of layer %1 · head %2, %3%4 rows of %5 prompts; small marks: single draws, large: their mean")
            .arg(choice.layer.value)
            .arg(choice.head.value)
            .arg(how.empty() ? QString() : qt(how) + ", ")
            .arg(rowCount)
            .arg(result->prompts.size()),
        context().comparison.layer() == nullptr);
    table_->setChosen(parameters.weightsOf);
    setLeastFold(std::max(kLeastKernelsHeight, table_->sizeHint().height() + kLeastFiguresHeight));
    byPosition_->setFigure(analysis::errorByPositionFigure(*result, choice.layer, choice.head, parameters.positionBin));
    weights_->setFigure(analysis::weightsFigure(*result, choice.layer, choice.head, parameters.weightsOf));
}

PageContent KernelsPage::content() const {
    PageContent content = Page::content();
    const auto& result = context().comparison.head();
    if (!result || !context().model.choice()) return content;
    const HeadChoice choice = *context().model.choice();
    content.figures.insert(
        content.figures.begin(),
        std::make_shared<const analysis::Figure>(analysis::kernelErrorFigure(*result, choice.layer, choice.head)));
    content.tables.push_back(std::make_shared<const analysis::Table>(kernelRowsTable(rows(), *result, choice)));
    return content;
}

QString KernelsPage::help() const {
    return tr(
        "<b>Kernels</b> compares linear-attention kernels with exact attention on the chosen head, live.<br><br>"
        "<b>RelMSE</b> is the sum of squared errors over the sum of squared exact outputs at the sampled query rows: 0 "
        "is "
        "exact, 1 is as bad as answering zero. The dashed lines show answers that need no kernel: the first value, the "
        "mean of the visible values, and zero. A value off the axis is written at its edge.<br>"
        "<b>layer</b> and <b>after Wₒ</b> pool all heads of the layer, before and after the output projection.<br>"
        "<b>Exact keys</b> leaves the first or the latest keys to exact attention and a kernel the others. The rows "
        "<i>no "
        "rest</i> and <i>uniform rest</i> show what the exact keys reach without a kernel; <b>gate</b> is the fitted "
        "weight of the rest.<br>"
        "<b>Error by query position</b> shows where along the sequence the error arises; <b>attention weights</b> what "
        "the kernel gets wrong.<br><br>"
        "A click on a row chooses the kernel whose weights are shown. Every change at the right computes anew.");
}

}  // namespace dimscope::app
