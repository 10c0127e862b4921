// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <vector>

namespace dimscope::app {

class Appearance;

/// The colour bar of the overview with the distribution of the heads standing on it.
class ColourBar : public QWidget {
    Q_OBJECT

public:
    explicit ColourBar(const Appearance& appearance, QWidget* parent = nullptr);

    void setValues(std::vector<double> values, double from, double to, bool percent);
    void setMark(double value) {
        mark_ = value;
        update();
    }  ///< of the chosen head; NaN: none
    QSize sizeHint() const override { return {200, 46}; }
    QSize minimumSizeHint() const override { return {80, 46}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void paintDistribution(QPainter& painter, const QRectF& bar) const;
    void paintTicks(QPainter& painter, const QRectF& bar) const;

    const Appearance& appearance_;
    std::vector<double> values_;
    double from_ = 0.0, to_ = 1.0, mark_ = 0.0;
    bool percent_ = true;
};

}  // namespace dimscope::app
