// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDoubleSpinBox>

namespace dimscope::app {

/// A number of any size, written as short as it reads back ("1e-6", "250"), with steps of its leading digit: up from
/// 1e-6 comes 2e-6, up from 9e-6 comes 1e-5.
class NumberBox : public QDoubleSpinBox {
    Q_OBJECT

public:
    NumberBox(double least, double most, QWidget* parent = nullptr);
    QString textFromValue(double value) const override;
    double valueFromText(const QString& text) const override;
    QValidator::State validate(QString& text, int& place) const override;
    void stepBy(int steps) override;
};

/// The neighbour of a value in steps of its leading digit; from 0 the first step is `smallest`.
double nextByLeadingDigit(double value, bool up, double smallest);

}  // namespace dimscope::app
