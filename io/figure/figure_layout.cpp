// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/figure/figure_layout.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "io/figure/figure_theme.h"
#include "io/figure/heat_map_image.h"
#include "io/figure/rich_text.h"

namespace dimscope::io {
namespace {

using analysis::Figure;
using analysis::HeatMap;
using analysis::Panel;

// In multiples of the text height.
constexpr double kLeastLeft = 5.1, kLeastRight = 2.0, kTop = 0.75, kBottomBare = 0.4;
constexpr double kLabelLine = 1.2, kTitleLine = 1.4, kHeaderLine = 1.5;
constexpr double kYTitleMiddle = 1.0, kYTitleRoom = 0.75;
constexpr double kBarGap = 1.4, kBarWidth = 0.9, kBarTitleRoom = 1.7;
constexpr double kBarLabelRoom = 1.35;
constexpr double kTickSpacingY = 2.6, kTickSpacingX = 6.0;
constexpr int kMostTicks = 5;

template <class Mark>
bool hasMark(const Panel& panel) {
    return std::any_of(panel.marks.begin(), panel.marks.end(),
                       [](const auto& mark) { return std::holds_alternative<Mark>(mark); });
}

int tickCount(double length, double spacing) {
    return std::clamp(static_cast<int>(length / std::max(spacing, 1.0)), 2, kMostTicks);
}

double widest(const std::vector<Tick>& ticks, const FigureTheme& theme) {
    double most = 0.0;
    for (const Tick& tick : ticks) most = std::max(most, RichText(tick.label, theme).width());
    return most;
}

bool sameBar(const HeatMap* a, const HeatMap* b) {
    return a && b && a->map == b->map && a->scale == b->scale && a->from == b->from && a->to == b->to &&
           a->barTitle == b->barTitle;
}

class Layout {
public:
    Layout(const Figure& figure, const FigureTheme& theme, QSizeF size) : figure_(figure), theme_(theme) {
        result_.size = size;
        result_.panels.resize(figure.panels.size());
    }

    FigureGeometry run() {
        if (figure_.panels.empty()) return result_;
        stackPanels();
        findColourBars();
        double right = rightMargin();
        placeColumns(right);
        if (const double more = overflow(); more > 0.0) placeColumns(right + more);
        placeColourBars();
        return result_;
    }

private:
    const Panel& panel(std::size_t i) const { return figure_.panels[i]; }
    bool last(std::size_t i) const { return i + 1 == figure_.panels.size(); }

    double above(std::size_t i) const {
        return theme_.em(result_.panels[i].header ? kHeaderLine : (i == 0 || !figure_.sharedX ? kTop : 0.0));
    }

    double below(std::size_t i) const {
        if (!result_.panels[i].xAxis) return last(i) || !figure_.sharedX ? theme_.em(kBottomBare) : gap(i);
        double room = kTickLength + kTickGap + kLabelLine;
        if (!panel(i).x.title.empty()) room += kTitleLine;
        return theme_.em(room) + (last(i) ? 0.0 : gap(i));
    }

    double gap(std::size_t i) const { return theme_.em(heatMapOf(panel(i)) ? 0.4 : 1.0); }

    void stackPanels() {
        double fixed = 0.0, weights = 0.0;
        for (std::size_t i = 0; i < figure_.panels.size(); ++i) {
            PanelGeometry& place = result_.panels[i];
            place.xAxis = panel(i).x.showLabels && (!figure_.sharedX || last(i));
            place.header = hasNamedRows(panel(i)) && hasMark<analysis::Rule>(panel(i));
            fixed += above(i) + below(i);
            weights += std::max(panel(i).weight, 0.0);
        }
        const double room = std::max(result_.size.height() - fixed, 0.0);
        double y = 0.0, share = 0.0;
        for (std::size_t i = 0; i < figure_.panels.size(); ++i) {
            PanelGeometry& place = result_.panels[i];
            y += above(i);
            share = weights > 0.0 ? room * std::max(panel(i).weight, 0.0) / weights : 0.0;
            place.plot.setTop(theme_.snapped(y));
            place.plot.setBottom(std::max(theme_.snapped(y + share), place.plot.top()));
            y += share + below(i);
            place.y = verticalMap(panel(i), place.plot);
            makeRoomForBarLabels(panel(i), place);
            place.yTicks = panel(i).y.showLabels
                               ? axisTicks(panel(i).y, place.y, tickCount(share, theme_.em(kTickSpacingY)))
                               : std::vector<Tick>{};
            if (hasArcs(panel(i)))  // below zero there are arcs, not values
                std::erase_if(place.yTicks, [](const Tick& tick) { return tick.value < 0.0; });
        }
    }

    // Values grow upwards, but the rows of a heat map downwards.
    static AxisMap verticalMap(const Panel& panel, const QRectF& plot) {
        AxisMap map = axisMap(panel.y, plot.bottom(), plot.top());
        if (heatMapOf(panel) && map.from < map.to) std::swap(map.from, map.to);
        return map;
    }

    // Numbers at the bars' ends need a line of text inside the plot, however small it is.
    void makeRoomForBarLabels(const Panel& panel, PanelGeometry& place) const {
        if (place.y.log || !(place.y.from < place.y.to) || place.plot.height() < theme_.em(5 * kBarLabelRoom)) return;
        for (int pass = 0; pass < 3; ++pass) {  // more room at one end changes the scale of the other
            const double room = theme_.em(kBarLabelRoom) / place.plot.height() * (place.y.to - place.y.from);
            for (const auto& mark : panel.marks)
                if (const auto* bars = std::get_if<analysis::Bars>(&mark))
                    for (const auto& bar : bars->bars) {
                        if (bar.label.empty() || !std::isfinite(bar.top)) continue;
                        const double whisker = bar.whiskerTo.value_or(bar.top);
                        if (bar.top < bar.base)
                            place.y.from = std::min(place.y.from, std::min(bar.top, whisker) - room);
                        else
                            place.y.to = std::max(place.y.to, std::max(bar.top, whisker) + room);
                    }
        }
    }

    void findColourBars() {
        const HeatMap* previous = nullptr;
        for (std::size_t i = 0; i < figure_.panels.size(); ++i) {
            const HeatMap* map = heatMapOf(panel(i));
            const QRectF& plot = result_.panels[i].plot;
            if (map && sameBar(previous, map))
                result_.colourBars.back().rect.setBottom(plot.bottom());
            else if (map)
                result_.colourBars.push_back({map, QRectF(0.0, plot.top(), 0.0, plot.height()), colourTicks(*map)});
            if (map && sameBar(previous, map)) keepExtremes(*map, result_.colourBars.back());
            previous = map;
        }
    }

    // A shared bar says "≥" when any of its maps goes beyond it.
    static void keepExtremes(const HeatMap& map, ColourBarGeometry& bar) {
        const std::vector<Tick> ticks = colourTicks(map);
        for (std::size_t i = 0; i < std::min(ticks.size(), bar.ticks.size()); ++i)
            if (ticks[i].label.size() > bar.ticks[i].label.size()) bar.ticks[i].label = ticks[i].label;
    }

    double leftMargin() const {
        double labels = 0.0;
        for (const PanelGeometry& place : result_.panels) labels = std::max(labels, widest(place.yTicks, theme_));
        const bool titled = std::any_of(figure_.panels.begin(), figure_.panels.end(),
                                        [](const Panel& p) { return !p.y.title.empty(); });
        return std::max(theme_.em(kLeastLeft),
                        labels + theme_.em(kTickLength + kTickGap + (titled ? kYTitleMiddle + kYTitleRoom : 0.4)));
    }

    double rightMargin() const {
        double most = theme_.em(kLeastRight);
        for (const Panel& p : figure_.panels)
            for (const auto& mark : p.marks)
                if (const auto* line = std::get_if<analysis::Line>(&mark);
                    line && !line->endLabel.empty() && !line->labelNear)
                    most = std::max(
                        most, theme_.em(kLeaderRoom + kEndMarkerRoom + 0.4) + RichText(line->endLabel, theme_).width());
        for (const ColourBarGeometry& bar : result_.colourBars) {
            double room = theme_.em(kBarGap + kBarWidth + kTickLength + kTickGap + 0.4) + widest(bar.ticks, theme_);
            if (!bar.map->barTitle.empty()) room += theme_.em(kBarTitleRoom);
            most = std::max(most, room);
        }
        return most;
    }

    void placeColumns(double right) {
        const double left = theme_.snapped(leftMargin());
        const double width = std::max(result_.size.width() - left - right, 0.0);
        for (std::size_t i = 0; i < figure_.panels.size(); ++i) {
            PanelGeometry& place = result_.panels[i];
            place.plot.setLeft(left);
            place.plot.setRight(left + columnsWidth(width));
            place.x = axisMap(panel(i).x, place.plot.left(), place.plot.right());
            if (const HeatMap* map = heatMapOf(panel(i)); map && map->values && map->values->cols() > 1)
                place.x.firstWidth = theme_.snapped(map->firstColumnWidthPx * 0.75 * theme_.unitsPerPoint);
            place.xTicks = panel(i).x.showLabels
                               ? axisTicks(panel(i).x, place.x, tickCount(width, theme_.em(kTickSpacingX)))
                               : std::vector<Tick>{};
        }
        result_.yTitleMiddle = theme_.em(kYTitleMiddle);
    }

    // A width in which every bar gets the same whole number of pixels, where the columns are wide enough for that.
    double columnsWidth(double width) const {
        const double step = theme_.pixelGrid;
        if (step <= 0.0) return width;
        for (const Panel& p : figure_.panels) {
            const double columns = std::abs(p.x.to - p.x.from);
            const bool whole = columns >= 1.0 && std::abs(columns - std::round(columns)) < 1e-9;
            const double perColumn = std::floor(width / std::max(columns, 1.0) / step) * step;
            if (hasMark<analysis::Bars>(p) && p.x.scale == analysis::AxisScale::Linear && whole &&
                perColumn >= 4.0 * step)
                return perColumn * std::round(columns);
        }
        return std::floor(width / step) * step;
    }

    // How far the labels of points and ticks stick out on the right.
    double overflow() const {
        double most = 0.0;
        for (std::size_t i = 0; i < figure_.panels.size(); ++i) {
            const PanelGeometry& place = result_.panels[i];
            if (place.xAxis && !place.xTicks.empty())
                most = std::max(most, place.x.position(place.xTicks.back().value) +
                                          RichText(place.xTicks.back().label, theme_).width() / 2);
            for (const auto& mark : panel(i).marks)
                if (const auto* points = std::get_if<analysis::Points>(&mark))
                    for (const auto& point : points->points)
                        if (!point.label.empty() && place.x.holds(point.x))
                            most = std::max(most, place.x.position(point.x) + point.sizePt * theme_.unitsPerPoint / 2 +
                                                      theme_.em(0.5) + RichText(point.label, theme_, true).width());
        }
        return most + theme_.em(0.2) - result_.size.width();
    }

    void placeColourBars() {
        for (ColourBarGeometry& bar : result_.colourBars) {
            bar.rect.setLeft(theme_.snapped(result_.panels.front().plot.right() + theme_.em(kBarGap)));
            bar.rect.setWidth(theme_.snapped(theme_.em(kBarWidth)));
        }
    }

    const Figure& figure_;
    const FigureTheme& theme_;
    FigureGeometry result_;
};

}  // namespace

FigureGeometry layoutFigure(const Figure& figure, const FigureTheme& theme, QSizeF size) {
    return Layout(figure, theme, size).run();
}

const HeatMap* heatMapOf(const Panel& panel) {
    for (const auto& mark : panel.marks)
        if (const auto* map = std::get_if<HeatMap>(&mark)) return map;
    return nullptr;
}

bool hasNamedRows(const Panel& panel) { return !panel.y.tickLabels.empty() && !heatMapOf(panel); }

bool hasArcs(const Panel& panel) { return hasMark<analysis::Arc>(panel); }

}  // namespace dimscope::io
