// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/experiment_page.h"

#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

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
        showSeen();
    });
}

void ExperimentPage::build() {
    state_->setObjectName("secondary");
    state_->setWordWrap(true);
    state_->setContentsMargins(0, 8, 0, 8);
    notice_->setObjectName("notice");
    notice_->setAlignment(Qt::AlignCenter);
    notice_->setWordWrap(true);
    notice_->setMinimumHeight(240);
    start_->setToolTip(tr("Compute with the parameters at the right"));
    header().addButton(cancel_);
    header().addButton(start_);
    grid_ = new QGridLayout;
    grid_->setHorizontalSpacing(kColumnGap);
    grid_->setVerticalSpacing(kRowGap);
    for (int column = 0; column < kColumns; ++column) grid_->setColumnStretch(column, 1);
    auto* all = new QVBoxLayout(body());
    all->setContentsMargins(12, 0, 12, 8);
    all->setSpacing(0);
    all->addWidget(state_);
    all->addWidget(notice_);
    all->addLayout(grid_);
    all->addStretch(1);
}

void ExperimentPage::setTop(QWidget* top) {
    top_ = top;
    auto* all = static_cast<QVBoxLayout*>(body()->layout());
    all->insertWidget(all->indexOf(grid_), top);
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
    showSeen();
}

void ExperimentPage::showState() {
    start_->setVisible(!run_->running());
    start_->setEnabled(run_->unsupported().isEmpty());
    start_->setText(run_->continues() ? tr("Continue") : run_->outcome() ? tr("Run again") : tr("Run"));
    cancel_->setVisible(run_->running());
    const QString text = stateText();
    state_->setText(text);
    state_->setVisible(!text.isEmpty());
    const QString notice = noticeText();
    notice_->setText(notice);
    notice_->setVisible(!notice.isEmpty());
}

QString ExperimentPage::stateText() const {
    if (run_->running())
        return tr("%1  ·  computing, %2 %").arg(qt(run_->experiment().question)).arg(qRound(run_->progress() * 100.0F));
    if (run_->stale()) return tr("Parameters have changed since. What is shown belongs to the former ones.");
    if (run_->seen() && !run_->failure().isEmpty())
        return run_->continues()
                   ? tr("%1 What was finished is shown: Continue goes on from there.").arg(run_->failure())
                   : run_->failure();
    return qt(run_->experiment().question);
}

/// Why there is no result, while there is none.
QString ExperimentPage::noticeText() const {
    const QString unsupported = run_->unsupported();
    if (!unsupported.isEmpty()) return tr("Not possible with this dump: %1.").arg(unsupported);
    if (run_->seen()) return {};
    if (run_->running()) return tr("Computing…");
    if (run_->failure().isEmpty()) return tr("Press Run.");
    return run_->continues() ? tr("%1 What was finished is kept: Continue goes on from there.").arg(run_->failure())
                             : run_->failure();
}

void ExperimentPage::showSeen() {
    const ExperimentRun::Outcome seen = run_->seen();
    const bool running = run_->running();
    if (anyShown_ && seen == shown_ && running == shownRunning_) return;
    anyShown_ = true;
    shown_ = seen;
    shownRunning_ = running;  // what is missing is coming, or is not
    findings().setFindings(seen ? seen->findings : std::vector<analysis::Finding>{});
    findings().setVisible(seen && !seen->findings.empty());
    if (top_) top_->setVisible(seen != nullptr);
    showResult(seen.get());
}

void ExperimentPage::showResult(const analysis::ExperimentOutcome* outcome) {
    header().setText(title(), {});
    if (outcome)
        layOut(outcome->figures, outcome->tables);
    else
        layOut({}, {});
}

void ExperimentPage::layOut(std::span<const analysis::Figure> figures, std::span<const analysis::Table> tables) {
    while (figurePanels_.size() < figures.size()) figurePanels_.push_back(addFigure());
    while (tablePanels_.size() < tables.size()) tablePanels_.push_back(addTable(kTableRow));
    while (grid_->count() > 0) delete grid_->takeAt(0);
    int row = 0, column = 0;
    placeFigures(figures, row, column);
    placeTables(tables, row, column);
    for (std::size_t i = figures.size(); i < figurePanels_.size(); ++i) {
        figurePanels_[i]->setNotice({}, {});
        figurePanels_[i]->hide();
    }
    for (std::size_t i = tables.size(); i < tablePanels_.size(); ++i) {
        tablePanels_[i]->clear({});
        tablePanels_[i]->hide();
    }
}

void ExperimentPage::placeFigures(std::span<const analysis::Figure> figures, int& row, int& column) {
    for (std::size_t i = 0; i < figures.size(); ++i) {
        figurePanels_[i]->setFigure(figures[i]);
        place(*figurePanels_[i], figures[i].widthMm <= kHalfPageMm ? 1 : kColumns,
              kCaptionHeight + static_cast<int>(figures[i].heightMm * kPixelsPerMm), row, column);
    }
}

void ExperimentPage::placeTables(std::span<const analysis::Table> tables, int& row, int& column) {
    for (std::size_t i = 0; i < tables.size(); ++i) {
        tablePanels_[i]->setTable(tables[i], {});
        place(*tablePanels_[i], kColumns,
              kTableFrame + kTableRow * std::min(kMostRowsShown, static_cast<int>(tables[i].rows())), row, column);
    }
}

void ExperimentPage::place(QWidget& panel, int columns, int height, int& row, int& column) {
    if (column + columns > kColumns) {
        ++row;
        column = 0;
    }
    panel.setFixedHeight(height);
    grid_->addWidget(&panel, row, column, 1, columns, Qt::AlignTop);
    panel.show();
    column += columns;
}

PageContent ExperimentPage::content() const {
    PageContent content;
    if (!shown_) return content;
    for (const analysis::Figure& figure : shown_->figures) content.add(figure);
    for (const analysis::Table& table : shown_->tables) content.add(table);
    return content;
}

}  // namespace dimscope::app
