// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "app/window/experiment_page.h"

class QComboBox;

namespace dimscope::app {

class MethodTable;

/// The retained error of every method as dots and numbers; below it the random subsets and the dose curve of the chosen
/// one, then the other tables.
class InterventionPage : public ExperimentPage {
    Q_OBJECT

public:
    InterventionPage(const PageContext& context, const analysis::Experiment& experiment, QWidget* parent = nullptr);

    MethodTable& table() { return *table_; }
    FigurePanel& subsets() { return *subsets_; }
    FigurePanel& dose() { return *dose_; }
    const std::string& chosen() const { return chosen_; }

protected:
    void showResult(const analysis::ExperimentOutcome* outcome) override;
    QString stateText() const override;

private:
    void build();
    void wire();
    void choose(const std::string& kernel);
    void showFigures();
    void showSubsets(const analysis::InterventionResult& result, std::size_t method);
    void showDose(const analysis::InterventionResult& result, std::size_t method);
    /// Why something is not there: it was not asked for, it is to come, or the run was stopped before it.
    QString missing(const QString& what, bool asked, const QString& how) const;
    bool asked(const std::string& field) const;

    MethodTable* table_;
    FigurePanel* subsets_;
    FigurePanel* dose_;
    QComboBox* doseAxis_;
    std::string chosen_;  ///< kernel of the two figures; empty: the largest R_S
};

}  // namespace dimscope::app
