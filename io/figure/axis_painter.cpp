// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/figure/axis_painter.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "io/figure/drawn_figure.h"
#include "io/figure/heat_map_image.h"
#include "io/figure/rich_text.h"

namespace dimscope::io {
namespace {

using analysis::Panel;

class AxisPainter {
public:
    AxisPainter(QPainter& painter, const DrawnFigure& drawn)
        : painter_(painter), figure_(*drawn.figure), theme_(drawn.theme), geometry_(drawn.geometry) {}

    void axes() {
        for (std::size_t i = 0; i < figure_.panels.size(); ++i) {
            if (geometry_.panels[i].xAxis) horizontalAxis(figure_.panels[i], geometry_.panels[i]);
            if (figure_.panels[i].y.showLabels) verticalAxis(figure_.panels[i], geometry_.panels[i]);
        }
        verticalTitles();
        for (const ColourBarGeometry& bar : geometry_.colourBars) colourBar(bar);
    }

private:
    double tick() const { return theme_.em(kTickLength); }
    double labelOffset() const { return theme_.em(kTickLength + kTickGap); }

    void horizontalAxis(const Panel& panel, const PanelGeometry& place) {
        const double y = place.plot.bottom();
        line({place.plot.left(), y}, {place.plot.right(), y});
        const double middle = y + labelOffset() + theme_.em(0.5);
        double free = -1e9;
        for (const Tick& t : place.xTicks) {
            const double x = tickPlace(place.x.position(t.value));
            line({x, y}, {x, y + tick()});
            const RichText label(t.label, theme_);
            const double left = place.x.position(t.value) - label.width() / 2;
            if (left < free) continue;
            label.draw(painter_, left, middle, theme_.secondary);
            free = left + label.width() + theme_.em(0.4);
        }
        const RichText title(panel.x.title, theme_);
        title.draw(painter_, place.plot.center().x() - title.width() / 2, middle + theme_.em(1.45), theme_.secondary);
    }

    void verticalAxis(const Panel& panel, const PanelGeometry& place) {
        const bool bare = heatMapOf(panel) != nullptr || hasNamedRows(panel);
        const double x = place.plot.left() - theme_.lineWidth;
        const double foot = hasArcs(panel) ? place.y.position(place.y.clamped(0.0)) : place.plot.bottom();
        if (!heatMapOf(panel)) line({x, place.plot.top()}, {x, foot});
        double free = 1e9;
        for (const Tick& t : ascending(place.yTicks, place.y)) {
            double y = place.y.position(t.value);
            if (heatMapOf(panel))  // names of border rows stay beside their own map
                y = std::max(std::min(y, place.plot.bottom() - theme_.em(0.4)), place.plot.top() + theme_.em(0.4));
            if (!bare) line({x - tick(), tickPlace(y)}, {x, tickPlace(y)});
            if (y + theme_.em(0.5) > free) continue;
            const RichText label(t.label, theme_);
            label.draw(painter_, x - labelOffset() - label.width() + theme_.lineWidth, y + theme_.lineWidth / 2,
                       hasNamedRows(panel) ? theme_.text : theme_.secondary);
            free = y - theme_.em(0.55);
        }
    }

    // From the bottom upwards.
    static std::vector<Tick> ascending(std::vector<Tick> ticks, const AxisMap& map) {
        std::sort(ticks.begin(), ticks.end(),
                  [&](const Tick& a, const Tick& b) { return map.position(a.value) > map.position(b.value); });
        return ticks;
    }

    // Bars are centred on half pixels where their columns are odd; so are the ticks under them.
    double tickPlace(double position) const {
        return theme_.pixelGrid > 0.0 ? theme_.snapped(position - theme_.lineWidth / 2 - 1e-6)
                                      : position - theme_.lineWidth / 2;
    }

    // Neighbours with one x axis and the same title share it; a title "a · b" of magnitudes stands a beside the
    // negative half and b beside the positive one.
    void verticalTitles() {
        for (std::size_t i = 0; i < figure_.panels.size();) {
            std::size_t end = i + 1;
            while (figure_.sharedX && end < figure_.panels.size() &&
                   figure_.panels[end].y.title == figure_.panels[i].y.title)
                ++end;
            const Panel& panel = figure_.panels[i];
            const PanelGeometry& place = geometry_.panels[i];
            const double top = place.plot.top(), bottom = geometry_.panels[end - 1].plot.bottom();
            const std::string separator = " · ";
            const std::size_t at = panel.y.title.find(separator);
            if (panel.y.absoluteLabels && place.y.holds(0.0) && at != std::string::npos) {
                const double zero = place.y.position(0.0);
                rotatedTitle(panel.y.title.substr(at + separator.size()), (top + zero) / 2);
                rotatedTitle(panel.y.title.substr(0, at), (zero + bottom) / 2);
            } else {
                rotatedTitle(panel.y.title, (top + (hasArcs(panel) ? place.y.position(0.0) : bottom)) / 2);
            }
            i = end;
        }
    }

    void rotatedTitle(const std::string& text, double middle) { rotated(text, geometry_.yTitleMiddle, middle); }

    void rotated(const std::string& text, double x, double y) {
        const RichText title(text, theme_);
        if (title.empty()) return;
        painter_.save();
        painter_.translate(x, y);
        painter_.rotate(-90.0);
        title.draw(painter_, -title.width() / 2, 0.0, theme_.secondary);
        painter_.restore();
    }

    void colourBar(const ColourBarGeometry& bar) {
        constexpr int kSteps = 256;
        QImage image(1, kSteps, QImage::Format_RGB32);
        for (int i = 0; i < kSteps; ++i)
            image.setPixel(0, i, mapColour(bar.map->map, 1.0 - static_cast<double>(i) / (kSteps - 1)));
        painter_.drawImage(bar.rect, image);
        double widest = 0.0;
        const double x = bar.rect.right();
        for (const Tick& t : bar.ticks) {
            const double at = colourPosition(*bar.map, t.value);
            const double y = bar.rect.bottom() - at * (bar.rect.height() - theme_.lineWidth) - theme_.lineWidth;
            line({x, theme_.snapped(y)}, {x + tick(), theme_.snapped(y)});
            const RichText label(t.label, theme_);
            const double middle = std::clamp(y + theme_.lineWidth / 2, bar.rect.top() + theme_.em(0.4),
                                             bar.rect.bottom() - theme_.em(0.4));
            label.draw(painter_, x + labelOffset(), middle, theme_.secondary);
            widest = std::max(widest, label.width());
        }
        rotated(bar.map->barTitle, x + labelOffset() + widest + theme_.em(1.0), bar.rect.center().y());
    }

    void line(QPointF from, QPointF to) { paintStraightLine(painter_, from, to, theme_.axis, theme_); }

    QPainter& painter_;
    const analysis::Figure& figure_;
    const FigureTheme& theme_;
    const FigureGeometry& geometry_;
};

}  // namespace

void paintStraightLine(QPainter& painter, QPointF from, QPointF to, const QColor& colour, const FigureTheme& theme,
                       bool dashed) {
    QPen pen(colour, theme.lineWidth, Qt::SolidLine, Qt::FlatCap);
    if (dashed) pen.setDashPattern({4.0, 3.0});
    painter.setPen(pen);
    const bool horizontal = std::abs(to.x() - from.x()) > std::abs(to.y() - from.y());
    const QPointF shift = horizontal ? QPointF(0, theme.lineWidth / 2) : QPointF(theme.lineWidth / 2, 0);
    painter.drawLine(from + shift, to + shift);
}

void paintGrid(QPainter& painter, const DrawnFigure& drawn) {
    const FigureTheme& theme = drawn.theme;
    for (std::size_t i = 0; i < drawn.figure->panels.size(); ++i) {
        const Panel& panel = drawn.figure->panels[i];
        const PanelGeometry& place = drawn.geometry.panels[i];
        if (panel.y.grid)
            for (const Tick& tick : place.yTicks) {
                const double y = theme.snapped(place.y.position(tick.value) - theme.lineWidth / 2);
                paintStraightLine(painter, {place.plot.left(), y}, {place.plot.right(), y}, theme.grid, theme);
            }
        if (panel.x.grid)
            for (const Tick& tick : place.xTicks) {
                const double x = theme.snapped(place.x.position(tick.value) - theme.lineWidth / 2);
                paintStraightLine(painter, {x, place.plot.top()}, {x, place.plot.bottom()}, theme.grid, theme);
            }
    }
}

void paintAxes(QPainter& painter, const DrawnFigure& drawn) { AxisPainter(painter, drawn).axes(); }

}  // namespace dimscope::io
