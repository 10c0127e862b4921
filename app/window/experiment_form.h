// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <functional>
#include <map>
#include <string>

#include "analysis/experiments/experiment.h"

class QComboBox;

namespace dimscope::app {

class FormBuilder;
class WorkspaceModel;

/// Parameters of an experiment of the catalogue: what all share, then its fields under their headings.
class ExperimentForm : public QWidget {
    Q_OBJECT

public:
    ExperimentForm(WorkspaceModel& model, const analysis::Experiment& experiment, QWidget* parent = nullptr);

private:
    void buildShared(FormBuilder& builder);
    void addField(FormBuilder& builder, const analysis::ExperimentField& field);
    void refill();
    void nameLayers();
    void show();
    void set(const analysis::ExperimentField& field, double value);
    void setShared();
    void resetToDefaults();

    WorkspaceModel& model_;
    const analysis::Experiment& experiment_;
    std::map<std::string, std::function<void(double)>> showField_;
    QComboBox* prompts_ = nullptr;
    QComboBox* layers_ = nullptr;
    bool showing_ = false;
};

}  // namespace dimscope::app
