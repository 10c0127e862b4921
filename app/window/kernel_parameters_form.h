// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <functional>
#include <string>
#include <vector>

class QPushButton;
class QVBoxLayout;

namespace dimscope::kernels {
struct KernelDescriptor;
struct KernelParameter;
}  // namespace dimscope::kernels

namespace dimscope::app {

class FormBuilder;
class WorkspaceModel;

/// The parameters of the chosen kernel, made from its descriptor, under a title that folds them away. Every change
/// computes anew.
class KernelParametersForm : public QWidget {
    Q_OBJECT

public:
    explicit KernelParametersForm(WorkspaceModel& model, QWidget* parent = nullptr);

private:
    void follow();  ///< the chosen kernel and its values
    void makeFields(const kernels::KernelDescriptor& kernel);
    void addField(FormBuilder& builder, const kernels::KernelParameter& parameter);
    void apply(const std::string& parameter, double value);
    void showTitle();

    WorkspaceModel& model_;
    QPushButton* title_;
    QVBoxLayout* column_;
    QWidget* fields_ = nullptr;
    std::string kernel_;                                                      ///< whose fields these are
    std::vector<std::pair<std::string, std::function<void(double)>>> shows_;  ///< puts a value into its field
    bool open_ = true;
    bool showing_ = false;
};

}  // namespace dimscope::app
