// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/kernel_parameters_form.h"

#include <QComboBox>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>
#include <algorithm>

#include "app/window/form_builder.h"
#include "app/window/number_box.h"
#include "app/window/qt_text.h"
#include "app/window/workspace_model.h"
#include "kernels/kernel_catalog.h"

namespace dimscope::app {
namespace {

using kernels::KernelParameter;

QString tipOf(const KernelParameter& parameter) {
    QString tip = qt(parameter.note);
    if (!tip.isEmpty()) tip[0] = tip[0].toUpper();
    if (!tip.isEmpty()) tip += "; ";
    tip += parameter.choices.empty() ? qt(allowedText(parameter)) + ", " : QString();
    tip += KernelParametersForm::tr("default %1").arg(qt(valueText(parameter, parameter.defaultValue)));
    return parameter.learned ? tip + KernelParametersForm::tr("; calibration fits it") : tip;
}

}  // namespace

KernelParametersForm::KernelParametersForm(WorkspaceModel& model, QWidget* parent)
    : QWidget(parent), model_(model), title_(new QPushButton(this)), column_(new QVBoxLayout(this)) {
    column_->setContentsMargins(0, 0, 0, 0);
    column_->setSpacing(4);
    title_->setObjectName("fold");
    title_->setFixedHeight(24);
    title_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);  // a long name does not widen the form
    title_->setCursor(Qt::PointingHandCursor);
    title_->setToolTip(tr("Shows or hides the parameters of the chosen kernel"));
    column_->addWidget(title_);
    connect(title_, &QPushButton::clicked, this, [this] {
        open_ = !open_;
        showTitle();
    });
    connect(&model_, &WorkspaceModel::parametersChanged, this, &KernelParametersForm::follow);
    follow();
}

void KernelParametersForm::follow() {
    const Parameters& parameters = model_.parameters();
    showing_ = true;
    if (parameters.weightsOf != kernel_)
        if (const kernels::KernelDescriptor* kernel = kernels::findKernel(parameters.weightsOf)) makeFields(*kernel);
    for (const auto& [name, show] : shows_) show(parameters.settings.value(kernel_, name));
    showing_ = false;
    showTitle();
}

void KernelParametersForm::makeFields(const kernels::KernelDescriptor& kernel) {
    kernel_ = kernel.name;
    shows_.clear();
    if (fields_ != nullptr) {
        fields_->hide();
        fields_->deleteLater();
    }
    fields_ = new QWidget(this);
    FormBuilder builder(*fields_);
    for (const KernelParameter& parameter : kernel.parameters) addField(builder, parameter);
    if (kernel.parameters.empty()) builder.note(tr("No parameters"));
    builder.nest();
    column_->addWidget(fields_);
}

void KernelParametersForm::addField(FormBuilder& builder, const KernelParameter& parameter) {
    const QString title = qt(parameter.title), tip = tipOf(parameter);
    const std::string& name = parameter.name;
    if (!parameter.choices.empty()) {
        QComboBox* field = builder.choice(title, tip);
        for (const std::string& choice : parameter.choices) field->addItem(qt(choice));
        connect(field, &QComboBox::currentIndexChanged, this, [this, name](int index) { apply(name, index); });
        shows_.emplace_back(name, [field](double value) { field->setCurrentIndex(static_cast<int>(value)); });
    } else if (parameter.integer) {
        QSpinBox* field =
            builder.integer(title, static_cast<int>(parameter.least), static_cast<int>(parameter.most), tip);
        connect(field, &QSpinBox::valueChanged, this, [this, name](int value) { apply(name, value); });
        shows_.emplace_back(name, [field](double value) { field->setValue(static_cast<int>(value)); });
    } else {
        NumberBox* field = builder.anyNumber(title, parameter.least, parameter.most, tip);
        connect(field, &NumberBox::valueChanged, this, [this, name](double value) { apply(name, value); });
        shows_.emplace_back(name, [field](double value) { field->setValue(value); });
    }
}

void KernelParametersForm::apply(const std::string& parameter, double value) {
    if (showing_) return;
    Parameters parameters = model_.parameters();
    if (value == kernels::findParameter(kernel_, parameter)->defaultValue)
        parameters.settings.clear(kernel_, parameter);
    else
        parameters.settings.set(kernel_, parameter, value);
    model_.setParameters(parameters);
}

void KernelParametersForm::showTitle() {
    const kernels::KernelDescriptor* kernel = kernels::findKernel(kernel_);
    if (kernel == nullptr) return;
    const std::vector<std::string>& shown = model_.parameters().kernels;
    const bool compared = shown.empty() || std::find(shown.begin(), shown.end(), kernel_) != shown.end();
    const QChar arrow = open_ ? QChar(0x25BE) : QChar(0x25B8);
    title_->setText(QString(arrow) + " " + qt(kernel->title) + (compared ? QString() : tr(" (not shown)")));
    fields_->setVisible(open_);
}

}  // namespace dimscope::app
