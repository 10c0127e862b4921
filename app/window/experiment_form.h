// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <functional>
#include <map>
#include <string>

#include "analysis/experiments/experiment.h"

class QCheckBox;
class QComboBox;

namespace dimscope::app {

class FormBuilder;
class WorkspaceModel;

/// Parameters of an experiment of the catalogue, made from its fields; below them what all experiments share.
class ExperimentForm : public QWidget {
    Q_OBJECT

public:
    ExperimentForm(WorkspaceModel& model, const analysis::Experiment& experiment, QWidget* parent = nullptr);

private:
    void buildFields(FormBuilder& builder);
    void buildShared(FormBuilder& builder);
    void addField(FormBuilder& builder, const analysis::ExperimentField& field);
    void refill();
    void show();
    void set(const analysis::ExperimentField& field, double value);
    void setShared();
    void resetToDefaults();

    WorkspaceModel& model_;
    const analysis::Experiment& experiment_;
    std::map<std::string, std::function<void(double)>> showField_;
    QComboBox* prompts_ = nullptr;
    QCheckBox* chosenLayer_ = nullptr;
    bool showing_ = false;
};

}  // namespace dimscope::app
