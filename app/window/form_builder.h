// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <functional>

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QGridLayout;
class QLabel;
class QSpinBox;
class QPushButton;
class QWidget;

namespace dimscope::app {

class NumberBox;

/// Lays out the rows of a parameter form: labels at the left, fields that begin at one line, units after them.
class FormBuilder {
public:
    explicit FormBuilder(QWidget& form);

    void section(const QString& title);
    QSpinBox* integer(const QString& label, int least, int most, const QString& tip, QLabel** unit = nullptr);
    QDoubleSpinBox* number(const QString& label, double least, double most, double step, int decimals,
                           const QString& tip);
    /// For ranges over many powers of ten.
    NumberBox* anyNumber(const QString& label, double least, double most, const QString& tip);
    QComboBox* choice(const QString& label, const QString& tip);
    QPushButton* menu(const QString& label, const QString& tip);
    QCheckBox* check(const QString& label, const QString& tip);
    void note(const QString& text);
    void widget(QWidget* part);  ///< as wide as the form
    /// A link under the form.
    void resetLink(std::function<void()> reset);
    void finish();  ///< room below
    void nest();    ///< the form is part of another one and lines up with it

private:
    void add(const QString& label, QWidget* field, const QString& tip);

    QWidget& form_;
    QGridLayout* grid_;
    int row_ = 0;
};

}  // namespace dimscope::app
