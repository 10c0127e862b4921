// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/intervention_page.h"

#include <QBoxLayout>
#include <QComboBox>
#include <QSignalBlocker>
#include <algorithm>

#include "analysis/figures/intervention_figures.h"
#include "app/window/export_dialog.h"
#include "app/window/export_files.h"
#include "app/window/figure_panel.h"
#include "app/window/figure_view.h"
#include "app/window/findings_row.h"
#include "app/window/method_table.h"
#include "app/window/page_header.h"
#include "app/window/qt_text.h"

namespace dimscope::app {
namespace {

constexpr int kLeastPairHeight = 260;

}  // namespace

InterventionPage::InterventionPage(const PageContext& context, const analysis::Experiment& experiment, QWidget* parent)
    : ExperimentPage(context, experiment, parent),
      table_(new MethodTable(context.appearance, body())),
      subsets_(addFigure()),
      dose_(addFigure()),
      doseAxis_(new QComboBox) {
    build();
    wire();
}

void InterventionPage::build() {
    doseAxis_->addItem(tr("dimensions n"));
    doseAxis_->addItem(tr("share of χ"));
    doseAxis_->addItem(tr("share of logit variance"));
    doseAxis_->setToolTip(tr("What the x axis of the dose curve counts"));
    doseAxis_->setAccessibleName(tr("Axis of the dose curve"));
    dose_->addControl(doseAxis_);
    auto* fold = new QWidget(body());
    auto* figures = new QHBoxLayout;
    figures->addWidget(subsets_, 1);
    figures->addWidget(dose_, 1);
    auto* column = new QVBoxLayout(fold);
    column->setContentsMargins(0, 4, 0, 4);
    column->setSpacing(8);
    column->addWidget(table_);
    column->addLayout(figures, 1);
    setTop(fold);
    setFold(fold, kLeastPairHeight, figures);
}

void InterventionPage::wire() {
    connect(table_, &MethodTable::methodChosen, this, [this](const QString& name) { choose(name.toStdString()); });
    connect(&findings(), &FindingsRow::followed, this, [this](const analysis::Finding& finding) {
        if (!finding.kernels.empty()) choose(finding.kernels.front());
    });
    connect(table_, &MethodTable::exportTableAsked, this, [this] {
        if (shown()) askAndWriteTable(shown()->tables.front(), window());
    });
    connect(table_, &MethodTable::exportFigureAsked, this, [this] {
        const auto figures = content().figures;
        if (!figures.empty()) ExportDialog(context().appearance, figures.front(), window()).exec();
    });
    connect(doseAxis_, &QComboBox::currentIndexChanged, this, &InterventionPage::showFigures);
    FigureView& lines = dose_->view();
    connect(&lines, &FigureView::hovered, &lines, [&lines](int key) { lines.setHighlight({}, key, -1); });
    connect(&lines, &FigureView::clicked, this, [this](int key) {
        const auto& methods = shown()->intervention->methods;
        if (key >= 0 && key < static_cast<int>(methods.size())) choose(methods[static_cast<std::size_t>(key)].kernel);
    });
}

QString InterventionPage::stateText() const {
    const bool plain = run().seen() && !run().stale() && run().failure().isEmpty();
    return plain ? QString() : ExperimentPage::stateText();
}

void InterventionPage::showResult(const analysis::ExperimentOutcome* outcome) {
    if (!outcome) {
        header().setText(title(), {});
        table_->clear({});
        subsets_->setNotice({}, {});
        dose_->setNotice({}, {});
        return layOut({}, {});
    }
    const analysis::InterventionResult& result = *outcome->intervention;
    header().setText(qt(analysis::interventionExtent(result)), qt(analysis::interventionDetails(result)));
    table_->setResult(result, run().running());
    setLeastFold(table_->sizeHint().height() + kLeastPairHeight);
    showFigures();
    layOut({}, std::span(outcome->tables).subspan(1));  // the first one is the table above
}

void InterventionPage::choose(const std::string& kernel) {
    if (kernel == chosen_) return;
    chosen_ = kernel;
    showFigures();
}

void InterventionPage::showFigures() {
    if (!shown() || !shown()->intervention) return;
    const analysis::InterventionResult& result = *shown()->intervention;
    const auto found = std::find_if(result.methods.begin(), result.methods.end(),
                                    [this](const auto& method) { return method.kernel == chosen_; });
    if (result.methods.empty()) return;
    std::size_t method = analysis::largestMethod(result).value_or(0);
    if (found != result.methods.end()) method = static_cast<std::size_t>(found - result.methods.begin());
    table_->setChosen(result.methods[method].kernel);
    showSubsets(result, method);
    showDose(result, method);
}

void InterventionPage::showSubsets(const analysis::InterventionResult& result, std::size_t method) {
    if (result.subsetControls.empty())
        return subsets_->setNotice(tr("Random subsets"), missing(tr("random subsets"), asked("replicates"),
                                                                 tr("Set Random subsets B at the right to 1000")));
    subsets_->setFigure(analysis::nullHistogramFigure(result, method));
}

void InterventionPage::showDose(const analysis::InterventionResult& result, std::size_t method) {
    doseAxis_->setVisible(!result.dose.empty());
    if (result.dose.empty())
        return dose_->setNotice(tr("Dose"),
                                missing(tr("dose curve"), asked("dose"), tr("Switch on Dose curve at the right")));
    const auto axis = static_cast<analysis::DoseAxis>(doseAxis_->currentIndex());
    dose_->setFigure(analysis::doseFigure(result, axis, result.methods[method].kernel));
}

bool InterventionPage::asked(const std::string& field) const {
    return run().seenOf() && run().experiment().value(run().seenOf()->request, field) != 0.0;
}

QString InterventionPage::missing(const QString& what, bool asked, const QString& how) const {
    if (!asked) return tr("No %1 asked for.\n%2 and run again.").arg(what, how);
    return run().running() ? tr("The %1 will follow.").arg(what)
                           : tr("The run was stopped before the %1: Continue goes on from there.").arg(what);
}

}  // namespace dimscope::app
