// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/window/experiment_run.h"
#include "app/window/page.h"

class QGridLayout;
class QLabel;
class QPushButton;

namespace dimscope::app {

/// The plain page of an experiment of the catalogue: what it asks, Run and Cancel, then its findings, figures and
/// tables.
class ExperimentPage : public Page {
    Q_OBJECT

public:
    ExperimentPage(const PageContext& context, const analysis::Experiment& experiment, QWidget* parent = nullptr);

    QString title() const override;
    QString help() const override;
    PageContent content() const override;
    ExperimentRun& run() { return *run_; }

protected:
    void refresh() override;
    void seenChanged(bool seen) override;

private:
    void build();
    void startIfQuick();
    void showState();
    void showOutcome();
    void showSnapshot();
    void showFindings(const std::vector<analysis::Finding>& found);
    void layOut(const analysis::ExperimentOutcome& outcome);

    ExperimentRun* run_;
    QLabel* state_;
    QPushButton* start_;
    QPushButton* cancel_;
    QLabel* notice_;
    QGridLayout* grid_ = nullptr;
    std::vector<FigurePanel*> figurePanels_;
    std::vector<TablePanel*> tablePanels_;
    ExperimentRun::Outcome shown_;
    std::shared_ptr<const analysis::ReplicateSnapshot> snapshot_;  ///< shown in place of the outcome
};

}  // namespace dimscope::app
