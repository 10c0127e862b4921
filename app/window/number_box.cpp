// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/number_box.h"

#include <algorithm>
#include <cmath>

namespace dimscope::app {
namespace {

constexpr int kDecimals = 15;  // the box rounds to these: enough for every epsilon

double smallestStep(double most) { return std::min(0.1, 1e-4 * most); }

}  // namespace

double nextByLeadingDigit(double value, bool up, double smallest) {
    const double size = std::abs(value);
    if (size < smallest * 0.999) return up ? smallest : -smallest;
    const bool away = (value > 0.0) == up;
    // Towards 0 a power of ten steps in tenths of itself: 1e-5, 9e-6.
    const double unit = std::pow(10.0, std::floor(std::log10(size * (away ? 1.000001 : 0.999999))));
    const double next = away ? size + unit : size - std::max(unit, smallest);
    const double rounded = std::round(next / (0.1 * unit)) * (0.1 * unit);
    return rounded < 0.999 * smallest ? 0.0 : std::copysign(rounded, value);
}

NumberBox::NumberBox(double least, double most, QWidget* parent) : QDoubleSpinBox(parent) {
    setDecimals(kDecimals);
    setRange(least, most);
    setButtonSymbols(QAbstractSpinBox::NoButtons);
    setAlignment(Qt::AlignRight);
}

QString NumberBox::textFromValue(double value) const {
    return QString::number(value, 'g', 6).replace("e-0", "e-").replace("e+0", "e");
}

double NumberBox::valueFromText(const QString& text) const { return text.trimmed().toDouble(); }

QValidator::State NumberBox::validate(QString& text, int&) const {
    bool isNumber = false;
    const double value = text.trimmed().toDouble(&isNumber);
    if (isNumber && value >= minimum() && value <= maximum()) return QValidator::Acceptable;
    const bool couldBecome =
        std::all_of(text.begin(), text.end(), [](QChar c) { return c.isDigit() || QString("+-.eE ").contains(c); });
    return couldBecome ? QValidator::Intermediate : QValidator::Invalid;
}

void NumberBox::stepBy(int steps) {
    double next = value();
    for (int n = 0; n < std::abs(steps); ++n) next = nextByLeadingDigit(next, steps > 0, smallestStep(maximum()));
    setValue(next);
    selectAll();
}

}  // namespace dimscope::app
