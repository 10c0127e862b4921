// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

#include "app/window/experiment_run.h"
#include "app/window/page.h"

class QGridLayout;
class QLabel;
class QPushButton;

namespace dimscope::app {

/// The page of an experiment of the catalogue: what it asks, Run and Cancel, then its findings, figures and tables as
/// far as they are there. Pages that show more of an experiment's result put it above the tables.
class ExperimentPage : public Page {
    Q_OBJECT

public:
    ExperimentPage(const PageContext& context, const analysis::Experiment& experiment, QWidget* parent = nullptr);

    QString title() const override;
    QString help() const override;
    PageContent content() const override;
    ExperimentRun& run() { return *run_; }
    const ExperimentRun& run() const { return *run_; }

protected:
    void refresh() override;
    void seenChanged(bool seen) override;
    /// What is shown of a result; null: there is none.
    virtual void showResult(const analysis::ExperimentOutcome* outcome);
    /// A sentence above the result; empty: there is nothing to say.
    virtual QString stateText() const;
    void setTop(QWidget* top);  ///< above figures and tables, while there is a result
    /// Figures and tables below one another, narrow ones side by side.
    void layOut(std::span<const analysis::Figure> figures, std::span<const analysis::Table> tables);
    const ExperimentRun::Outcome& shown() const { return shown_; }

private:
    void build();
    void startIfQuick();
    void showState();
    void showSeen();
    QString noticeText() const;
    void placeFigures(std::span<const analysis::Figure> figures, int& row, int& column);
    void placeTables(std::span<const analysis::Table> tables, int& row, int& column);
    void place(QWidget& panel, int columns, int height, int& row, int& column);

    ExperimentRun* run_;
    QLabel* state_;
    QPushButton* start_;
    QPushButton* cancel_;
    QLabel* notice_;
    QWidget* top_ = nullptr;
    QGridLayout* grid_ = nullptr;
    std::vector<FigurePanel*> figurePanels_;
    std::vector<TablePanel*> tablePanels_;
    ExperimentRun::Outcome shown_;
    bool anyShown_ = false;  ///< showResult was called
    bool shownRunning_ = false;
};

}  // namespace dimscope::app
