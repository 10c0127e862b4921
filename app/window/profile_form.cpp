// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/profile_form.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QSpinBox>

#include "app/window/form_builder.h"
#include "app/window/prompt_choice.h"
#include "app/window/workspace_model.h"

namespace dimscope::app {

ProfileForm::ProfileForm(WorkspaceModel& model, QWidget* parent) : QWidget(parent), model_(model) {
    build();
    connectFields();
    show();
    connect(&model_, &WorkspaceModel::opened, this, &ProfileForm::refill);
    connect(&model_, &WorkspaceModel::choiceChanged, this, &ProfileForm::show);
    connect(&model_, &WorkspaceModel::parametersChanged, this, &ProfileForm::show);
}

void ProfileForm::build() {
    FormBuilder builder(*this);
    buildFigure(builder);
    buildGrouping(builder);
    builder.resetLink([this] {
        Parameters parameters = model_.parameters();
        const Parameters defaults;
        parameters.length = defaults.length;
        parameters.profilePrompts = defaults.profilePrompts;
        parameters.maximum = defaults.maximum;
        parameters.foldPairs = defaults.foldPairs;
        parameters.grouping = defaults.grouping;
        model_.setParameters(parameters);
    });
    builder.finish();
}

void ProfileForm::buildFigure(FormBuilder& builder) {
    builder.section(tr("Figure"));
    prompts_ = builder.choice(tr("Prompts"), tr("Prompts that the profile is averaged over, equally weighted"));
    prompts_->addItem(tr("all"));
    length_ =
        builder.integer(tr("Length N"), 1, 1, tr("First positions of each prompt that are looked at"), &lengthUnit_);
    statistic_ = builder.choice(tr("Statistic"), tr("What stands for a dimension: the mean or the largest magnitude"));
    statistic_->addItem(tr("mean |x|"));
    statistic_->addItem(tr("max |x|"));
    fold_ = builder.check(tr("Fold RoPE pairs"), tr("RoPE partners stand side by side on the axis"));
}

void ProfileForm::buildGrouping(FormBuilder& builder) {
    builder.section(tr("Grouping"));
    alpha_ =
        builder.number(tr("Tail α"), 0.01, 1.0, 0.05, 2,
                       tr("Share of the dimensions, from the strongest, that may hold cuts: 0.01 to 1, default 0.25"));
    tau_ = builder.number(tr("Ratio τ"), 1.0, 100.0, 0.1, 2,
                          tr("Least ratio of neighbours at a cut: 1 to 100, default 1.5"));
    gamma_ = builder.number(tr("Support γ"), 0.0, 1.0, 0.05, 2,
                            tr("Least share of bootstrap draws that agree with a cut: 0 to 1, default 0.9"));
    replicates_ = builder.integer(tr("Replicates B"), 1, 100000, tr("Bootstrap draws over prompts, default 1000"));
    rule_ = builder.choice(tr("Support rule"),
                           tr("When a draw supports a cut: by rank, by the same set, fixed, or within δ ranks"));
    for (const auto rule : {analysis::SupportRule::Rank, analysis::SupportRule::Set, analysis::SupportRule::Fixed,
                            analysis::SupportRule::Tolerance}) {
        const std::string_view name = analysis::supportRuleName(rule);
        rule_->addItem(QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size())), static_cast<int>(rule));
    }
    delta_ = builder.integer(tr("Tolerance δ"), 0, 1000, tr("Ranks by which a cut may move under the rule tol"));
    minGroups_ = builder.integer(tr("Least groups"), 1, 64,
                                 tr("Cuts are filled in until there are this many groups, default 2"));
}

void ProfileForm::connectFields() {
    for (QSpinBox* field : {length_, replicates_, delta_, minGroups_})
        connect(field, &QSpinBox::valueChanged, this, &ProfileForm::apply);
    for (QDoubleSpinBox* field : {alpha_, tau_, gamma_})
        connect(field, &QDoubleSpinBox::valueChanged, this, &ProfileForm::apply);
    for (QComboBox* field : {prompts_, statistic_, rule_})
        connect(field, &QComboBox::currentIndexChanged, this, &ProfileForm::apply);
    connect(fold_, &QCheckBox::toggled, this, &ProfileForm::apply);
}

void ProfileForm::refill() {
    showing_ = true;
    const analysis::DumpInfo& info = model_.workspace().info();
    fillPrompts(*prompts_, info, tr("all %1").arg(info.prompts.size()));
    showing_ = false;
    show();
}

void ProfileForm::show() {
    showing_ = true;
    const Parameters& p = model_.parameters();
    const analysis::LayerInfo* layer = model_.workspace().layer();
    if (layer == nullptr && model_.isOpen()) layer = &model_.workspace().info().layers.front();
    length_->setEnabled(layer != nullptr);
    if (layer != nullptr) {
        length_->setRange(1, static_cast<int>(layer->positions));
        length_->setValue(static_cast<int>(model_.workspace().lengthIn(*layer)));
        lengthUnit_->setText(tr("of %1").arg(layer->positions));
        showPrompts(*prompts_, p.profilePrompts, model_.workspace().info());
    }
    statistic_->setCurrentIndex(p.maximum ? 1 : 0);
    fold_->setChecked(p.foldPairs);
    alpha_->setValue(p.grouping.alpha);
    tau_->setValue(p.grouping.tau);
    gamma_->setValue(p.grouping.gamma);
    replicates_->setValue(p.grouping.replicates);
    rule_->setCurrentIndex(rule_->findData(static_cast<int>(p.grouping.support)));
    delta_->setValue(p.grouping.delta);
    delta_->setEnabled(p.grouping.support == analysis::SupportRule::Tolerance);
    minGroups_->setValue(p.grouping.minGroups);
    showing_ = false;
}

void ProfileForm::apply() {
    if (showing_) return;
    Parameters p = model_.parameters();
    if (model_.isOpen()) {
        p.length = length_->value() == length_->maximum() ? 0 : length_->value();
        p.profilePrompts = chosenPrompts(*prompts_, model_.workspace().info());
    }
    p.maximum = statistic_->currentIndex() == 1;
    p.foldPairs = fold_->isChecked();
    p.grouping.alpha = alpha_->value();
    p.grouping.tau = tau_->value();
    p.grouping.gamma = gamma_->value();
    p.grouping.replicates = replicates_->value();
    p.grouping.support = static_cast<analysis::SupportRule>(rule_->currentData().toInt());
    p.grouping.delta = delta_->value();
    p.grouping.minGroups = minGroups_->value();
    model_.setParameters(p);
}

}  // namespace dimscope::app
