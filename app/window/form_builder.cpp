// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/form_builder.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QEvent>
#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>

#include "app/window/number_box.h"

namespace dimscope::app {
namespace {

constexpr int kFieldWidth = 64, kChoiceWidth = 116, kFieldHeight = 24;

/// The wheel scrolls a form; it changes a field only where the person has gone into it.
class WheelGuard : public QObject {
public:
    using QObject::QObject;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override {
        if (event->type() != QEvent::Wheel || static_cast<QWidget*>(watched)->hasFocus()) return false;
        event->ignore();
        return true;
    }
};

}  // namespace

FormBuilder::FormBuilder(QWidget& form) : form_(form), grid_(new QGridLayout(&form)) {
    grid_->setContentsMargins(12, 6, 12, 6);
    grid_->setHorizontalSpacing(8);
    grid_->setVerticalSpacing(4);
    grid_->setColumnMinimumWidth(0, 104);
    grid_->setColumnStretch(2, 1);
}

void FormBuilder::section(const QString& title) {
    auto* label = new QLabel(title, &form_);
    label->setObjectName("formSection");
    label->setFixedHeight(kFieldHeight);
    grid_->addWidget(label, row_++, 0, 1, 3);
}

void FormBuilder::add(const QString& label, QWidget* field, const QString& tip) {
    auto* name = new QLabel(label, &form_);
    name->setBuddy(field);
    name->setToolTip(tip);
    field->setToolTip(tip);
    field->setAccessibleName(label);
    field->setFixedHeight(kFieldHeight);
    field->setFocusPolicy(Qt::StrongFocus);  // not by the wheel
    field->installEventFilter(new WheelGuard(field));
    grid_->addWidget(name, row_, 0);
}

QSpinBox* FormBuilder::integer(const QString& label, int least, int most, const QString& tip, QLabel** unit) {
    auto* field = new QSpinBox(&form_);
    field->setRange(least, most);
    field->setButtonSymbols(QAbstractSpinBox::NoButtons);
    field->setAlignment(Qt::AlignRight);
    field->setFixedWidth(kFieldWidth);
    add(label, field, tip);
    grid_->addWidget(field, row_, 1);
    if (unit != nullptr) {
        *unit = new QLabel(&form_);
        (*unit)->setObjectName("secondary");
        grid_->addWidget(*unit, row_, 2);
    }
    ++row_;
    return field;
}

QDoubleSpinBox* FormBuilder::number(const QString& label, double least, double most, double step, int decimals,
                                    const QString& tip) {
    auto* field = new QDoubleSpinBox(&form_);
    field->setDecimals(decimals);
    field->setRange(least, most);
    field->setSingleStep(step);
    field->setButtonSymbols(QAbstractSpinBox::NoButtons);
    field->setAlignment(Qt::AlignRight);
    field->setFixedWidth(kFieldWidth);
    add(label, field, tip);
    grid_->addWidget(field, row_++, 1);
    return field;
}

NumberBox* FormBuilder::anyNumber(const QString& label, double least, double most, const QString& tip) {
    auto* field = new NumberBox(least, most, &form_);
    field->setFixedWidth(kFieldWidth);
    add(label, field, tip);
    grid_->addWidget(field, row_++, 1);
    return field;
}

QComboBox* FormBuilder::choice(const QString& label, const QString& tip) {
    auto* field = new QComboBox(&form_);
    field->setFixedWidth(kChoiceWidth);
    add(label, field, tip);
    grid_->addWidget(field, row_++, 1, 1, 2);
    return field;
}

QPushButton* FormBuilder::menu(const QString& label, const QString& tip) {
    auto* field = new QPushButton(&form_);
    field->setObjectName("choice");
    field->setFixedWidth(kChoiceWidth);
    add(label, field, tip);
    grid_->addWidget(field, row_++, 1, 1, 2);
    return field;
}

QCheckBox* FormBuilder::check(const QString& label, const QString& tip) {
    auto* field = new QCheckBox(label, &form_);
    field->setToolTip(tip);
    field->setFixedHeight(kFieldHeight);
    grid_->addWidget(field, row_++, 0, 1, 3);
    return field;
}

void FormBuilder::note(const QString& text) {
    auto* label = new QLabel(text, &form_);
    label->setObjectName("secondary");
    label->setFixedHeight(kFieldHeight);
    grid_->addWidget(label, row_++, 0, 1, 3);
}

void FormBuilder::widget(QWidget* part) { grid_->addWidget(part, row_++, 0, 1, 3); }

void FormBuilder::resetLink(std::function<void()> reset) {
    auto* link = new QPushButton(QObject::tr("Reset to defaults"), &form_);
    link->setObjectName("link");
    link->setCursor(Qt::PointingHandCursor);
    link->setFixedHeight(kFieldHeight);
    QObject::connect(link, &QPushButton::clicked, &form_, [reset = std::move(reset)] { reset(); });
    grid_->addWidget(link, row_++, 0, 1, 3, Qt::AlignLeft);
}

void FormBuilder::finish() { grid_->setRowStretch(row_, 1); }

void FormBuilder::nest() { grid_->setContentsMargins(0, 0, 0, 0); }

}  // namespace dimscope::app
