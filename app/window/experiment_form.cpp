// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/experiment_form.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QSpinBox>

#include "app/window/form_builder.h"
#include "app/window/number_box.h"
#include "app/window/prompt_choice.h"
#include "app/window/qt_text.h"
#include "app/window/workspace_model.h"

namespace dimscope::app {

using Kind = analysis::ExperimentField::Kind;

namespace {

constexpr qsizetype kMostNamedLayers = 4;

}  // namespace

ExperimentForm::ExperimentForm(WorkspaceModel& model, const analysis::Experiment& experiment, QWidget* parent)
    : QWidget(parent), model_(model), experiment_(experiment) {
    FormBuilder builder(*this);
    buildShared(builder);
    for (const analysis::ExperimentField& field : experiment_.fields) {
        if (!field.group.empty()) builder.section(qt(field.group));
        addField(builder, field);
    }
    builder.resetLink([this] { resetToDefaults(); });
    builder.finish();
    show();
    connect(&model_, &WorkspaceModel::opened, this, &ExperimentForm::refill);
    connect(&model_, &WorkspaceModel::parametersChanged, this, &ExperimentForm::show);
    connect(&model_, &WorkspaceModel::choiceChanged, this, &ExperimentForm::show);
}

void ExperimentForm::addField(FormBuilder& builder, const analysis::ExperimentField& field) {
    const QString label = qt(field.label), tip = qt(field.tip);
    const auto changed = [this, &field](double value) { set(field, value); };
    std::function<void(double)>& shown = showField_[field.name];
    switch (field.kind) {
        case Kind::Integer: {
            QLabel* unit = nullptr;
            QSpinBox* box = builder.integer(label, static_cast<int>(field.least), static_cast<int>(field.most), tip,
                                            field.unit.empty() ? nullptr : &unit);
            if (unit) unit->setText(qt(field.unit));
            connect(box, &QSpinBox::valueChanged, this, changed);
            shown = [box](double value) { box->setValue(static_cast<int>(value)); };
            break;
        }
        case Kind::Number: {
            NumberBox* box = builder.anyNumber(label, field.least, field.most, tip);
            connect(box, &QDoubleSpinBox::valueChanged, this, changed);
            shown = [box](double value) { box->setValue(value); };
            break;
        }
        case Kind::Choice: {
            QComboBox* box = builder.choice(label, tip);
            for (const std::string& choice : field.choices) box->addItem(qt(choice));
            connect(box, &QComboBox::currentIndexChanged, this, changed);
            shown = [box](double value) { box->setCurrentIndex(static_cast<int>(value)); };
            break;
        }
        case Kind::Switch: {
            QCheckBox* box = builder.check(label, tip);
            connect(box, &QCheckBox::toggled, this, [changed](bool on) { changed(on ? 1.0 : 0.0); });
            shown = [box](double value) { box->setChecked(value != 0.0); };
            break;
        }
    }
}

/// What all experiments have in common: which part of the dump.
void ExperimentForm::buildShared(FormBuilder& builder) {
    builder.section(tr("Experiment"));
    layers_ = builder.choice(tr("Layers"), tr("All layers of the dump, or the one of the chosen head alone"));
    for (const QString& text : {tr("all"), tr("chosen")}) layers_->addItem(text);
    prompts_ = builder.choice(tr("Evaluate on"), tr("Prompts that are evaluated"));
    prompts_->addItem(tr("default"));
    connect(layers_, &QComboBox::currentIndexChanged, this, &ExperimentForm::setShared);
    connect(prompts_, &QComboBox::currentIndexChanged, this, &ExperimentForm::setShared);
}

void ExperimentForm::refill() {
    showing_ = true;
    fillPrompts(*prompts_, model_.workspace().info(), tr("default"));
    showing_ = false;
    show();
}

/// "5 15 25", "layer 15".
void ExperimentForm::nameLayers() {
    if (!model_.isOpen()) return;
    QStringList names;
    for (const analysis::LayerInfo& layer : model_.workspace().info().layers)
        names.append(QString::number(layer.layer.value));
    layers_->setItemText(0, names.size() > kMostNamedLayers ? tr("all %1").arg(names.size()) : names.join(' '));
    layers_->setItemText(1, model_.choice() ? tr("layer %1").arg(model_.choice()->layer.value) : tr("chosen"));
}

void ExperimentForm::show() {
    showing_ = true;
    nameLayers();
    const ExperimentKey key = model_.workspace().experimentKey(experiment_.name);
    for (const analysis::ExperimentField& field : experiment_.fields)
        showField_[field.name](experiment_.value(key.request, field.name));
    if (model_.isOpen()) showPrompts(*prompts_, model_.parameters().errorPrompts, model_.workspace().info());
    layers_->setCurrentIndex(model_.parameters().chosenLayerOnly ? 1 : 0);
    showing_ = false;
}

void ExperimentForm::set(const analysis::ExperimentField& field, double value) {
    if (showing_) return;
    Parameters parameters = model_.parameters();
    std::map<std::string, double>& values = parameters.experiments[experiment_.name];
    values[field.name] = value;
    if (value == field.start) values.erase(field.name);
    if (values.empty()) parameters.experiments.erase(experiment_.name);
    model_.setParameters(parameters);
}

void ExperimentForm::setShared() {
    if (showing_) return;
    Parameters parameters = model_.parameters();
    if (model_.isOpen()) parameters.errorPrompts = chosenPrompts(*prompts_, model_.workspace().info());
    parameters.chosenLayerOnly = layers_->currentIndex() == 1;
    model_.setParameters(parameters);
}

void ExperimentForm::resetToDefaults() {
    Parameters parameters = model_.parameters();
    parameters.experiments.erase(experiment_.name);
    parameters.errorPrompts.clear();
    parameters.chosenLayerOnly = false;
    model_.setParameters(parameters);
}

}  // namespace dimscope::app
