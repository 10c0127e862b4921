// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/experiment_page.h"

#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

#include "analysis/figures/intervention_figures.h"
#include "app/window/figure_panel.h"
#include "app/window/findings_row.h"
#include "app/window/page_header.h"
#include "app/window/qt_text.h"
#include "app/window/table_panel.h"

namespace dimscope::app {
namespace {

constexpr int kColumns = 2, kColumnGap = 28, kRowGap = 14;
constexpr int kTableRow = 22, kTableFrame = 56, kMostRowsShown = 14;
constexpr double kHalfPageMm = 115.0;  // a figure up to this width shares its row with another
constexpr double kPixelsPerMm = 5.4;   // 160 mm fill the page at the window's design size
constexpr int kCaptionHeight = 24;

}  // namespace

ExperimentPage::ExperimentPage(const PageContext& context, const analysis::Experiment& experiment, QWidget* parent)
    : Page(context, parent),
      run_(new ExperimentRun(context.model, experiment, this)),
      state_(new QLabel(this)),
      start_(new QPushButton(tr("Run"), this)),
      cancel_(new QPushButton(tr("Cancel"), this)),
      notice_(new QLabel(this)) {
    build();
    connect(start_, &QPushButton::clicked, run_, &ExperimentRun::start);
    connect(cancel_, &QPushButton::clicked, run_, &ExperimentRun::cancel);
    connect(run_, &ExperimentRun::changed, this, &ExperimentPage::invalidate);
    connect(&context.model.pump(), &JobPump::ticked, this, [this] {
        if (!isVisible() || !run_->running()) return;
        showState();
        showSnapshot();
    });
}

void ExperimentPage::build() {
    state_->setObjectName("secondary");
    state_->setWordWrap(true);
    notice_->setObjectName("notice");
    notice_->setAlignment(Qt::AlignCenter);
    notice_->setWordWrap(true);
    notice_->setMinimumHeight(240);
    start_->setToolTip(tr("Compute with the parameters at the right"));
    auto* row = new QHBoxLayout;
    row->setContentsMargins(0, 8, 0, 8);
    row->setSpacing(12);
    row->addWidget(state_, 1);
    row->addWidget(cancel_);
    row->addWidget(start_);
    grid_ = new QGridLayout;
    grid_->setHorizontalSpacing(kColumnGap);
    grid_->setVerticalSpacing(kRowGap);
    for (int column = 0; column < kColumns; ++column) grid_->setColumnStretch(column, 1);
    auto* all = new QVBoxLayout(body());
    all->setContentsMargins(12, 0, 12, 8);
    all->setSpacing(0);
    all->addLayout(row);
    all->addWidget(notice_);
    all->addLayout(grid_);
    all->addStretch(1);
}

QString ExperimentPage::title() const { return qt(run_->experiment().title); }

QString ExperimentPage::help() const {
    return qt(run_->experiment().question) + "<br><br>" + qt(run_->experiment().help);
}

void ExperimentPage::seenChanged(bool seen) {
    if (seen) startIfQuick();
}

void ExperimentPage::startIfQuick() {
    if (run_->experiment().quick && !run_->outcome() && run_->failure().isEmpty()) run_->start();
}

void ExperimentPage::refresh() {
    startIfQuick();
    showState();
    showOutcome();
}

void ExperimentPage::showState() {
    const QString unsupported = run_->unsupported();
    start_->setVisible(!run_->running());
    start_->setEnabled(unsupported.isEmpty());
    start_->setText(run_->continues() ? tr("Continue") : run_->outcome() ? tr("Run again") : tr("Run"));
    cancel_->setVisible(run_->running());
    if (run_->running())
        state_->setText(
            tr("%1  ·  computing, %2 %").arg(qt(run_->experiment().question)).arg(qRound(run_->progress() * 100.0F)));
    else if (run_->stale())
        state_->setText(tr("Parameters have changed since. What is shown belongs to the former ones."));
    else
        state_->setText(qt(run_->experiment().question));
}

void ExperimentPage::showOutcome() {
    header().setText(title(), {});
    const QString unsupported = run_->unsupported();
    QString notice;
    if (!unsupported.isEmpty())
        notice = tr("Not possible with this dump: %1.").arg(unsupported);
    else if (!run_->failure().isEmpty())
        notice = run_->continues()
                     ? tr("%1 What was finished is kept: Continue goes on from there.").arg(run_->failure())
                     : run_->failure();
    else if (!run_->outcome())
        notice = run_->running() ? tr("Computing…") : tr("Press Run.");
    notice_->setText(notice);
    notice_->setVisible(!notice.isEmpty());
    const auto& outcome = run_->outcome();
    if (!outcome) findings().hide();
    if (run_->snapshot() || (outcome == shown_ && !snapshot_)) return;
    shown_ = outcome;
    snapshot_ = nullptr;
    showFindings(outcome ? outcome->findings : std::vector<analysis::Finding>{});
    layOut(outcome ? *outcome : analysis::ExperimentOutcome{});
}

void ExperimentPage::showFindings(const std::vector<analysis::Finding>& found) {
    findings().setFindings(found);
    findings().setVisible(!found.empty());
}

/// The replicates of a running control as far as they are there.
void ExperimentPage::showSnapshot() {
    const auto snapshot = run_->snapshot();
    if (!snapshot || snapshot == snapshot_) return;
    snapshot_ = snapshot;
    analysis::ExperimentOutcome soFar;
    for (std::size_t k = 0; k < snapshot->kernels.size(); ++k)
        soFar.figures.push_back(analysis::nullHistogramFigure(*snapshot, k, {}));
    notice_->hide();
    showFindings({});
    layOut(soFar);
}

void ExperimentPage::layOut(const analysis::ExperimentOutcome& outcome) {
    while (figurePanels_.size() < outcome.figures.size()) figurePanels_.push_back(addFigure());
    while (tablePanels_.size() < outcome.tables.size()) tablePanels_.push_back(addTable(kTableRow));
    while (grid_->count() > 0) delete grid_->takeAt(0);
    int row = 0, column = 0;
    const auto place = [this, &row, &column](QWidget& panel, int columns, int height) {
        if (column + columns > kColumns) {
            ++row;
            column = 0;
        }
        panel.setFixedHeight(height);
        grid_->addWidget(&panel, row, column, 1, columns, Qt::AlignTop);
        panel.show();
        column += columns;
    };
    for (std::size_t i = 0; i < outcome.figures.size(); ++i) {
        const analysis::Figure& figure = outcome.figures[i];
        figurePanels_[i]->setFigure(figure);
        place(*figurePanels_[i], figure.widthMm <= kHalfPageMm ? 1 : kColumns,
              kCaptionHeight + static_cast<int>(figure.heightMm * kPixelsPerMm));
    }
    for (std::size_t i = 0; i < outcome.tables.size(); ++i) {
        const analysis::Table& table = outcome.tables[i];
        tablePanels_[i]->setTable(table, qt(table.caption));
        place(*tablePanels_[i], kColumns,
              kTableFrame + kTableRow * std::min(kMostRowsShown, static_cast<int>(table.rows())));
    }
    for (std::size_t i = outcome.figures.size(); i < figurePanels_.size(); ++i) {
        figurePanels_[i]->setNotice({}, {});
        figurePanels_[i]->hide();
    }
    for (std::size_t i = outcome.tables.size(); i < tablePanels_.size(); ++i) {
        tablePanels_[i]->clear({});
        tablePanels_[i]->hide();
    }
}

PageContent ExperimentPage::content() const {
    PageContent content;
    if (!shown_) return content;
    for (const analysis::Figure& figure : shown_->figures) content.add(figure);
    for (const analysis::Table& table : shown_->tables) content.add(table);
    return content;
}

}  // namespace dimscope::app
