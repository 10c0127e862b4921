// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/kernels_form.h"

#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QSpinBox>
#include <algorithm>

#include "app/window/form_builder.h"
#include "app/window/kernel_parameters_form.h"
#include "app/window/prompt_choice.h"
#include "app/window/qt_text.h"
#include "app/window/workspace_model.h"
#include "kernels/kernel_catalog.h"

namespace dimscope::app {
namespace {

constexpr int kMostExactKeys = 1000000;  // more than a prompt has: everything is exact

}  // namespace

KernelsForm::KernelsForm(WorkspaceModel& model, QWidget* parent) : QWidget(parent), model_(model) {
    build();
    connectFields();
    show();
    connect(&model_, &WorkspaceModel::opened, this, &KernelsForm::refill);
    connect(&model_, &WorkspaceModel::choiceChanged, this, &KernelsForm::show);
    connect(&model_, &WorkspaceModel::parametersChanged, this, &KernelsForm::show);
}

void KernelsForm::build() {
    FormBuilder builder(*this);
    buildRows(builder);
    buildExactKeys(builder);
    buildKernels(builder);
    builder.resetLink([this] { resetToDefaults(); });
    builder.finish();
}

void KernelsForm::buildRows(FormBuilder& builder) {
    builder.section(tr("Rows"));
    prompts_ = builder.choice(tr("Evaluate on"), tr("Prompts on which the error is measured"));
    prompts_->addItem(tr("all"));
    length_ =
        builder.integer(tr("Length N"), 1, 1, tr("First positions of each prompt that are looked at"), &lengthUnit_);
    rows_ = builder.integer(tr("Rows R"), 0, 1, tr("Query rows sampled per prompt; 0: all of them"), &rowsUnit_);
    seed_ = builder.integer(tr("Seed"), 0, 1000000, tr("Of the sampled rows and of the first feature draw, default 0"));
    draws_ = builder.integer(tr("Feature draws"), 1, 32,
                             tr("Draws of a random kernel, whose errors are averaged; default 3"));
    bin_ = builder.integer(tr("Position bin"), 1, 1000000, tr("Query positions in one point of the error by position"),
                           &binUnit_);
    binUnit_->setText(tr("tokens"));
}

void KernelsForm::buildExactKeys(FormBuilder& builder) {
    builder.section(tr("Exact keys"));
    exactFirst_ = builder.integer(
        tr("First S"), 0, kMostExactKeys,
        tr("The first S keys of a prompt keep their exact weight, the kernel stands for the others; 0: none"),
        &exactFirstUnit_);
    exactWindow_ = builder.integer(
        tr("Latest W"), 0, kMostExactKeys,
        tr("The last W keys up to the query keep their exact weight, the kernel stands for the others; 0: none"),
        &exactWindowUnit_);
    centreKeys_ = builder.check(
        tr("Centre keys"),
        tr("Takes the mean key of the calibration prompts off every key before the kernels see it; exact attention "
           "stays as it is"));
}

void KernelsForm::buildKernels(FormBuilder& builder) {
    builder.section(tr("Kernels"));
    kernels_ = builder.menu(tr("Shown"), tr("Kernels that are compared with exact attention"));
    fillKernels();
    chosen_ =
        builder.choice(tr("Chosen"), tr("Kernel whose weights and parameters are shown, as by a click on its row"));
    for (const std::string& name : comparableKernels())
        chosen_->addItem(qt(kernels::findKernel(name)->title), qt(name));
    builder.widget(new KernelParametersForm(model_, this));
}

void KernelsForm::fillKernels() {
    auto* menu = new QMenu(kernels_);
    menu->setToolTipsVisible(true);
    connect(menu->addAction(tr("All")), &QAction::triggered, this, [this] {
        Parameters parameters = model_.parameters();
        parameters.kernels.clear();
        model_.setParameters(parameters);
    });
    menu->addSeparator();
    for (const std::string& name : comparableKernels()) {
        const kernels::KernelDescriptor& kernel = *kernels::findKernel(name);
        QAction* action = menu->addAction(qt(kernel.title));
        action->setCheckable(true);
        action->setData(qt(name));
        action->setToolTip(qt(kernel.formula));
        connect(action, &QAction::triggered, this, &KernelsForm::apply);
        kernelActions_.push_back(action);
    }
    kernels_->setMenu(menu);
}

void KernelsForm::connectFields() {
    for (QSpinBox* field : {length_, rows_, seed_, draws_, bin_, exactFirst_, exactWindow_})
        connect(field, &QSpinBox::valueChanged, this, &KernelsForm::apply);
    connect(centreKeys_, &QCheckBox::toggled, this, &KernelsForm::apply);
    for (QComboBox* field : {prompts_, chosen_})
        connect(field, &QComboBox::currentIndexChanged, this, &KernelsForm::apply);
}

void KernelsForm::refill() {
    showing_ = true;
    const analysis::DumpInfo& info = model_.workspace().info();
    const bool hasEvaluation = std::any_of(info.prompts.begin(), info.prompts.end(),
                                           [](const analysis::PromptInfo& p) { return p.split == "evaluation"; });
    fillPrompts(*prompts_, info, hasEvaluation ? tr("evaluation split") : tr("all %1").arg(info.prompts.size()));
    showing_ = false;
    show();
}

void KernelsForm::show() {
    showing_ = true;
    const Parameters& p = model_.parameters();
    const analysis::LayerInfo* layer = model_.workspace().layer();
    if (layer == nullptr && model_.isOpen()) layer = &model_.workspace().info().layers.front();
    length_->setEnabled(layer != nullptr);
    rows_->setEnabled(layer != nullptr);
    if (layer != nullptr) {
        const Index length = model_.workspace().lengthIn(*layer);
        length_->setRange(1, static_cast<int>(layer->positions));
        length_->setValue(static_cast<int>(length));
        lengthUnit_->setText(tr("of %1").arg(layer->positions));
        rows_->setRange(0, static_cast<int>(length));
        rows_->setValue(p.rows);
        rowsUnit_->setText(p.rows == 0 ? tr("all") : tr("of %1").arg(length));
        showPrompts(*prompts_, p.errorPrompts, model_.workspace().info());
    }
    seed_->setValue(p.seed);
    draws_->setValue(p.draws);
    bin_->setValue(static_cast<int>(p.positionBin));
    showExactKeys();
    chosen_->setCurrentIndex(std::max(0, chosen_->findData(qt(p.weightsOf))));
    for (QAction* action : kernelActions_)
        action->setChecked(p.kernels.empty() || std::find(p.kernels.begin(), p.kernels.end(),
                                                          action->data().toString().toStdString()) != p.kernels.end());
    showKernelsText();
    showing_ = false;
}

void KernelsForm::showExactKeys() {
    const analysis::EvaluationParams& evaluation = model_.parameters().evaluation;
    exactFirst_->setValue(static_cast<int>(evaluation.exactFirst));
    exactWindow_->setValue(static_cast<int>(evaluation.exactWindow));
    for (const auto& [field, unit] : {std::pair(exactFirst_, exactFirstUnit_), {exactWindow_, exactWindowUnit_}})
        unit->setText(field->value() == 0 ? tr("none") : field->value() == 1 ? tr("key") : tr("keys"));
    centreKeys_->setChecked(evaluation.centreKeys);
}

void KernelsForm::showKernelsText() {
    const Parameters& p = model_.parameters();
    const auto count = p.kernels.empty() ? kernelActions_.size() : p.kernels.size();
    // The space stands for the padding, which a style sheet does not give to a button with a menu.
    kernels_->setText(QChar(0x2002) + (p.kernels.empty() ? tr("all %1").arg(count)
                                                         : tr("%1 of %2").arg(count).arg(kernelActions_.size())));
}

std::vector<std::string> KernelsForm::checkedKernels() const {
    std::vector<std::string> names;
    for (const QAction* action : kernelActions_)
        if (action->isChecked()) names.push_back(action->data().toString().toStdString());
    return names.size() == kernelActions_.size() ? std::vector<std::string>{} : names;
}

void KernelsForm::apply() {
    if (showing_) return;
    Parameters p = model_.parameters();
    if (model_.isOpen()) {
        p.length = length_->value() == length_->maximum() ? 0 : length_->value();
        p.rows = rows_->value();
        p.errorPrompts = chosenPrompts(*prompts_, model_.workspace().info());
    }
    p.seed = seed_->value();
    p.draws = draws_->value();
    p.positionBin = bin_->value();
    p.evaluation.exactFirst = exactFirst_->value();
    p.evaluation.exactWindow = exactWindow_->value();
    p.evaluation.centreKeys = centreKeys_->isChecked();
    p.weightsOf = chosen_->currentData().toString().toStdString();
    p.kernels = checkedKernels();
    model_.setParameters(p);
    show();  // a menu from which everything was unchecked means all
}

void KernelsForm::resetToDefaults() {
    Parameters parameters = model_.parameters();
    const Parameters defaults;
    parameters.length = defaults.length;
    parameters.errorPrompts = defaults.errorPrompts;
    parameters.kernels = defaults.kernels;
    parameters.rows = defaults.rows;
    parameters.seed = defaults.seed;
    parameters.draws = defaults.draws;
    parameters.positionBin = defaults.positionBin;
    parameters.settings = defaults.settings;
    parameters.evaluation = defaults.evaluation;
    parameters.weightsOf = defaults.weightsOf;
    model_.setParameters(parameters);
}

}  // namespace dimscope::app
