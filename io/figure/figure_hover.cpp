// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/figure/figure_hover.h"

#include <algorithm>
#include <cmath>

#include "io/axis_ticks.h"
#include "io/figure/drawn_figure.h"
#include "io/figure/line_pieces.h"
#include "io/figure/mark_geometry.h"

namespace dimscope::io {
namespace {

using namespace analysis;

constexpr double kReach = 0.7;  // of the text height: 8 px on the screen

double length(QPointF v) { return std::hypot(v.x(), v.y()); }

double distanceToSegment(QPointF p, QPointF a, QPointF b) {
    const QPointF along = b - a;
    const double squared = QPointF::dotProduct(along, along);
    const double part = squared > 0.0 ? std::clamp(QPointF::dotProduct(p - a, along) / squared, 0.0, 1.0) : 0.0;
    return length(p - a - part * along);
}

// Keeps the candidate with the least distance.
struct Nearest {
    double distance;
    const Hover* hover = nullptr;
    void offer(double candidate, const Hover& found) {
        if (candidate >= distance || (found.key < 0 && found.text.empty())) return;
        distance = candidate;
        hover = &found;
    }
    std::optional<Hover> result() const { return hover ? std::optional(*hover) : std::nullopt; }
};

class Finder {
public:
    Finder(const DrawnFigure& drawn, std::size_t index, QPointF position)
        : panel_(drawn.figure->panels[index]),
          place_(drawn.geometry.panels[index]),
          theme_(drawn.theme),
          position_(position) {}

    std::optional<Hover> find() const {
        if (auto found = pointHover()) return found;
        if (auto found = lineHover()) return found;
        if (auto found = barHover()) return found;
        return heatMapHover();
    }

private:
    std::optional<Hover> pointHover() const {
        Nearest nearest{theme_.em(kReach)}, inRow{place_.plot.width()};
        const double halfRow = std::abs(place_.y.position(1.0) - place_.y.position(0.0)) / 2;
        for (const Mark& mark : panel_.marks) {
            const auto* points = std::get_if<Points>(&mark);
            if (!points) continue;
            for (const Points::Point& point : points->points) {
                const auto placed = placedPoint(point.x, point.y, place_);
                if (!placed) continue;
                const QPointF apart = position_ - placed->centre;
                nearest.offer(length(apart), point.hover);
                if (hasNamedRows(panel_) && std::abs(apart.y()) <= halfRow)
                    inRow.offer(std::abs(apart.x()), point.hover);
            }
        }
        return nearest.hover ? nearest.result() : inRow.result();
    }

    std::optional<Hover> lineHover() const {
        Nearest nearest{theme_.em(kReach)};
        for (const Mark& mark : panel_.marks)
            if (const auto* line = std::get_if<Line>(&mark))
                for (const auto& piece : linePieces(*line, place_))
                    for (std::size_t i = 1; i < piece.size(); ++i)
                        nearest.offer(distanceToSegment(position_, piece[i - 1], piece[i]), line->hover);
        return nearest.result();
    }

    // By column; of two bars in one column (upwards and downwards) the one on the pointer's side.
    std::optional<Hover> barHover() const {
        Nearest nearest{2 * place_.plot.width()};
        for (const Mark& mark : panel_.marks) {
            const auto* bars = std::get_if<Bars>(&mark);
            if (!bars) continue;
            const double half = columnHalfWidth(*bars, place_);
            for (const Bars::Bar& bar : bars->bars) {
                const QRectF rect = barRect(*bars, bar, place_, theme_);
                if (rect.isNull()) continue;
                const double across = std::abs(position_.x() - place_.x.position(bar.x));
                if (across > half) continue;
                const double foot = place_.y.position(place_.y.clamped(bar.base));
                const bool otherSide = (position_.y() > foot) != pointsDown(bar);
                nearest.offer(across + (otherSide ? place_.plot.width() : 0.0), bar.hover);
            }
        }
        return nearest.result();
    }

    std::optional<Hover> heatMapHover() const {
        const HeatMap* map = heatMapOf(panel_);
        if (!map || !map->values || map->values->empty()) return std::nullopt;
        const auto column = static_cast<kernels::Index>(std::floor(place_.x.value(position_.x())));
        const auto row = static_cast<kernels::Index>(std::floor(place_.y.value(position_.y())));
        if (row < 0 || row >= map->values->rows() || column < 0 || column >= map->values->cols()) return std::nullopt;
        const auto value = static_cast<double>((*map->values)(row, column));
        return Hover{-1, nameOf(map->rowNames, row, "row ") + ", " + nameOf(map->columnNames, column, "column ") +
                             ": " + (std::isnan(value) ? "no value" : shortNumber(value))};
    }

    static std::string nameOf(const std::vector<std::string>& names, kernels::Index i, const char* what) {
        return i < static_cast<kernels::Index>(names.size()) ? names[static_cast<std::size_t>(i)]
                                                             : what + std::to_string(i);
    }

    const Panel& panel_;
    const PanelGeometry& place_;
    const FigureTheme& theme_;
    QPointF position_;
};

}  // namespace

std::optional<Hover> hoverAt(const DrawnFigure& drawn, QPointF position) {
    const auto panel = panelAt(drawn, position);
    return panel ? Finder(drawn, *panel, position).find() : std::nullopt;
}

std::optional<std::size_t> panelAt(const DrawnFigure& drawn, QPointF position) {
    const double reach = drawn.theme.em(0.3);  // a point on the border can be found from outside
    for (std::size_t i = 0; i < drawn.geometry.panels.size(); ++i)
        if (drawn.geometry.panels[i].plot.adjusted(-reach, -reach, reach, reach).contains(position)) return i;
    return std::nullopt;
}

}  // namespace dimscope::io
