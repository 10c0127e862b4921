// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <vector>

class QAction;
class QCheckBox;
class QComboBox;
class QLabel;
class QSpinBox;
class QPushButton;

namespace dimscope::app {

class FormBuilder;
class WorkspaceModel;

/// Parameters of the Kernels page; every change computes anew.
class KernelsForm : public QWidget {
    Q_OBJECT

public:
    explicit KernelsForm(WorkspaceModel& model, QWidget* parent = nullptr);

private:
    void build();
    void buildRows(FormBuilder& builder);
    void buildExactKeys(FormBuilder& builder);
    void buildKernels(FormBuilder& builder);
    void fillKernels();
    void connectFields();
    void refill();
    void show();
    void apply();
    void resetToDefaults();
    void showExactKeys();
    void showKernelsText();
    std::vector<std::string> checkedKernels() const;  ///< empty: all

    WorkspaceModel& model_;
    QComboBox* prompts_ = nullptr;
    QSpinBox* length_ = nullptr;
    QLabel* lengthUnit_ = nullptr;
    QSpinBox* rows_ = nullptr;
    QLabel* rowsUnit_ = nullptr;
    QSpinBox* seed_ = nullptr;
    QSpinBox* draws_ = nullptr;
    QSpinBox* bin_ = nullptr;
    QLabel* binUnit_ = nullptr;
    QSpinBox* exactFirst_ = nullptr;
    QSpinBox* exactWindow_ = nullptr;
    QLabel* exactFirstUnit_ = nullptr;
    QLabel* exactWindowUnit_ = nullptr;
    QCheckBox* centreKeys_ = nullptr;
    QPushButton* kernels_ = nullptr;
    std::vector<QAction*> kernelActions_;
    QComboBox* chosen_ = nullptr;
    bool showing_ = false;
};

}  // namespace dimscope::app
