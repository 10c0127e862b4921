// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/colour_bar.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "app/window/appearance.h"
#include "app/window/qt_text.h"
#include "io/axis_ticks.h"
#include "io/figure/heat_map_image.h"

namespace dimscope::app {
namespace {

constexpr double kBarHeight = 8.0, kDistributionHeight = 18.0;
constexpr int kBinWidth = 4;

}  // namespace

ColourBar::ColourBar(const Appearance& appearance, QWidget* parent) : QWidget(parent), appearance_(appearance) {
    connect(&appearance_, &Appearance::changed, this, [this] { update(); });
}

void ColourBar::setValues(std::vector<double> values, double from, double to, bool percent) {
    values_ = std::move(values);
    from_ = from;
    to_ = to;
    percent_ = percent;
    update();
}

void ColourBar::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const QRectF bar(0.0, kDistributionHeight + 1.0, width(), kBarHeight);
    for (int x = 0; x < width(); ++x)
        painter.fillRect(QRectF(x, bar.top(), 1.0, bar.height()),
                         QColor(io::mapColour(analysis::ColourMap::Cividis, x / std::max(1.0, width() - 1.0))));
    paintDistribution(painter, bar);
    paintTicks(painter, bar);
}

void ColourBar::paintDistribution(QPainter& painter, const QRectF& bar) const {
    const int bins = std::max(1, width() / kBinWidth);
    std::vector<int> counts(static_cast<std::size_t>(bins), 0);
    const auto placeOf = [this](double value) { return std::clamp((value - from_) / (to_ - from_), 0.0, 1.0); };
    for (const double value : values_)
        if (std::isfinite(value) && to_ > from_)
            ++counts[static_cast<std::size_t>(std::min(bins - 1, static_cast<int>(placeOf(value) * bins)))];
    const int most = *std::max_element(counts.begin(), counts.end());
    for (int b = 0; most > 0 && b < bins; ++b) {
        const int count = counts[static_cast<std::size_t>(b)];
        if (count == 0) continue;
        const double height = std::max(2.0, std::round((kDistributionHeight - 2.0) * count / most));
        painter.fillRect(QRectF(b * kBinWidth, bar.top() - 1.0 - height, kBinWidth - 1.0, height),
                         appearance_.colours().figure.bulkQuery);
    }
    if (std::isfinite(mark_) && to_ > from_) {
        const double x = std::clamp(std::round(placeOf(mark_) * width()), 1.0, width() - 1.0);
        painter.fillRect(QRectF(x - 1.0, bar.top() - kDistributionHeight, 2.0, kDistributionHeight + kBarHeight),
                         appearance_.colours().text);
    }
}

void ColourBar::paintTicks(QPainter& painter, const QRectF& bar) const {
    analysis::Axis axis;
    axis.from = from_;
    axis.to = to_;
    axis.format = percent_ ? analysis::TickFormat::Percent : analysis::TickFormat::Number;
    QFont small = font();
    small.setPixelSize(11);
    painter.setFont(small);
    painter.setPen(appearance_.colours().secondary);
    const io::AxisMap map = io::axisMap(axis, bar.left(), bar.right());
    for (const io::Tick& tick : io::axisTicks(axis, map, 5)) {
        const QString label = qt(tick.label);
        const double half = painter.fontMetrics().horizontalAdvance(label) / 2.0;
        const double middle = std::clamp(map.position(tick.value), half, width() - half);
        painter.drawText(QRectF(middle - half - 1.0, bar.bottom() + 2.0, 2.0 * half + 2.0, 15.0), Qt::AlignCenter,
                         label);
    }
}

}  // namespace dimscope::app
