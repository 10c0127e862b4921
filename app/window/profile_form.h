// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QSpinBox;

namespace dimscope::app {

class FormBuilder;
class WorkspaceModel;

/// Parameters of the Profile and Grouping pages.
class ProfileForm : public QWidget {
    Q_OBJECT

public:
    explicit ProfileForm(WorkspaceModel& model, QWidget* parent = nullptr);

private:
    void build();
    void buildFigure(FormBuilder& builder);
    void buildGrouping(FormBuilder& builder);
    void connectFields();
    void refill();  ///< what depends on the dump
    void show();    ///< the parameters as they are
    void apply();

    WorkspaceModel& model_;
    QComboBox* prompts_ = nullptr;
    QSpinBox* length_ = nullptr;
    QLabel* lengthUnit_ = nullptr;
    QComboBox* statistic_ = nullptr;
    QCheckBox* fold_ = nullptr;
    QDoubleSpinBox* alpha_ = nullptr;
    QDoubleSpinBox* tau_ = nullptr;
    QDoubleSpinBox* gamma_ = nullptr;
    QSpinBox* replicates_ = nullptr;
    QComboBox* rule_ = nullptr;
    QSpinBox* delta_ = nullptr;
    QSpinBox* minGroups_ = nullptr;
    bool showing_ = false;
};

}  // namespace dimscope::app
