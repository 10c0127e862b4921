// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/figure/label_painter.h"

#include <QPainter>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "io/axis_ticks.h"
#include "io/figure/drawn_figure.h"
#include "io/figure/end_labels.h"
#include "io/figure/label_layout.h"
#include "io/figure/mark_geometry.h"
#include "io/figure/near_labels.h"
#include "io/figure/rich_text.h"

namespace dimscope::io {
namespace {

using namespace analysis;

constexpr double kNoDescenders = 0.24;  // numbers need less height than words
constexpr double kTextLine = 1.45;      // of texts with several lines

struct BarLabel {
    RichText text;
    QRectF rect;
    QColor colour;
    double length = 0.0;      // of the bar: the longest one keeps its place
    double direction = -1.0;  // away from the bar
};

class LabelPainter {
public:
    LabelPainter(QPainter& painter, const DrawnFigure& drawn, std::size_t index)
        : painter_(painter),
          panel_(drawn.figure->panels[index]),
          place_(drawn.geometry.panels[index]),
          theme_(drawn.theme),
          highlight_(drawn.highlight) {}

    // What has to stand where it is comes first, what can move later.
    void paint() {
        note();
        each<Text>([this](const Text& text) { fixedText(text); });
        barLabels();
        each<Arc>([this](const Arc& arc) { arcLabel(arc); });
        collectObstacles();
        each<Points>([this](const Points& points) { pointLabels(points); });
        each<Rule>([this](const Rule& rule) { ruleLabel(rule); });
        each<Span>([this](const Span& span) { spanLabel(span); });
    }

    /// Where texts and marks stand, once everything is painted.
    std::vector<QRectF> taken() const {
        std::vector<QRectF> all = texts_;
        all.insert(all.end(), obstacles_.begin(), obstacles_.end());
        return all;
    }

private:
    template <class Kind, class Action>
    void each(Action&& action) const {
        for (const Mark& mark : panel_.marks)
            if (const auto* kind = std::get_if<Kind>(&mark)) action(*kind);
    }

    void draw(const RichText& text, const QRectF& rect, const QColor& colour) {
        text.draw(painter_, rect.left(), middleOf(rect), colour);
        texts_.push_back(rect);
    }

    // RichText::rect measures around the letters' middle; this undoes it.
    double middleOf(const QRectF& rect) const { return rect.top() - RichText("", theme_).rect(0.0, 0.0).top(); }

    void note() {
        if (panel_.note.empty()) return;
        const bool onMap = heatMapOf(panel_) != nullptr;
        const RichText text(panel_.note, theme_, onMap);
        const double inset = theme_.em(0.55);
        const QRectF rect = text.rect(place_.plot.right() - inset - text.width(), place_.plot.top() + theme_.em(0.95));
        if (onMap) painter_.fillRect(rect.adjusted(-inset / 2, -inset / 3, inset / 2, inset / 3), theme_.missing);
        draw(text, rect, onMap ? theme_.text : theme_.secondary);
    }

    void fixedText(const Text& source) {
        if (!place_.x.holds(source.x) || !place_.y.holds(source.y)) return;
        double y = place_.y.position(source.y);
        for (std::size_t from = 0; from <= source.text.size(); y += theme_.em(kTextLine)) {
            const std::size_t end = std::min(source.text.find('\n', from), source.text.size());
            const RichText text(source.text.substr(from, end - from), theme_, source.bold);
            from = end + 1;
            double left = place_.x.position(source.x);
            if (source.anchor == Text::Anchor::Centre) left -= text.width() / 2;
            if (source.anchor == Text::Anchor::Right) left -= text.width();
            const double inset = theme_.em(0.5);  // off the axis line
            left = std::max(left, place_.plot.left() + inset);
            if (!text.empty()) draw(text, text.rect(left, y), textColour(source.ink, theme_));
        }
    }

    // In the middle of the arrow, on the ground; beside an arrow that is too short for it.
    void spanLabel(const Span& span) {
        if (span.label.empty() || !place_.x.holds(span.from) || !place_.x.holds(span.to) || !place_.y.holds(span.y))
            return;
        const RichText text(span.label, theme_, true);
        const double a = place_.x.position(std::min(span.from, span.to)),
                     b = place_.x.position(std::max(span.from, span.to));
        const double y = place_.y.position(span.y), pad = theme_.em(0.5);
        if (b - a < text.width() + theme_.em(3.0)) return draw(text, text.rect(a, y - theme_.em(1.0)), theme_.text);
        const QRectF rect = text.rect((a + b - text.width()) / 2, y);
        painter_.fillRect(rect.adjusted(-pad, 0.0, pad, 0.0), theme_.ground);
        draw(text, rect, theme_.text);
    }

    void barLabels() {
        std::vector<BarLabel> labels;
        each<Bars>([&](const Bars& bars) {
            for (const Bars::Bar& bar : bars.bars)
                if (!bar.label.empty()) addBarLabel(bars, bar, labels);
        });
        std::stable_sort(labels.begin(), labels.end(),
                         [](const BarLabel& a, const BarLabel& b) { return a.length > b.length; });
        std::vector<QRectF> wanted = texts_;
        std::vector<double> direction(texts_.size(), 0.0);
        for (const BarLabel& label : labels) {
            wanted.push_back(label.rect);
            direction.push_back(label.direction);
        }
        const std::size_t before = texts_.size();
        const std::vector<QRectF> placed = stackLabels(wanted, direction);
        for (std::size_t i = 0; i < labels.size(); ++i)
            if (!placed[before + i].isNull()) draw(labels[i].text, placed[before + i], labels[i].colour);
    }

    void addBarLabel(const Bars& bars, const Bars::Bar& bar, std::vector<BarLabel>& labels) const {
        const QRectF rect = barRect(bars, bar, place_, theme_);
        if (rect.isNull()) return;
        const QRectF whole = rect.united(whiskerRect(rect, bar, place_, theme_));
        const bool down = pointsDown(bar);
        BarLabel label{
            RichText(bar.label, theme_, true), {}, textColour(bar.ink, theme_), rect.height(), down ? 1.0 : -1.0};
        if (highlight_.isHovered(bar.hover.key)) label.colour = theme_.text;
        const double gap = theme_.em(0.72);
        label.rect = label.text.rect(rect.center().x() - label.text.width() / 2,
                                     down ? whole.bottom() + gap : whole.top() - gap);
        labels.push_back(std::move(label));
    }

    // In the middle of the arc on the ground; beside an arc that is too narrow for it.
    void arcLabel(const Arc& arc) {
        if (arc.label.empty() || !place_.x.holds(arc.from) || !place_.x.holds(arc.to)) return;
        const RichText text(arc.label, theme_);
        const double a = place_.x.position(std::min(arc.from, arc.to)),
                     b = place_.x.position(std::max(arc.from, arc.to));
        const double zero = place_.y.position(place_.y.clamped(0.0)) + theme_.em(0.45);
        const double foot = zero + std::clamp(arc.depth, 0.0, 1.0) * (place_.plot.bottom() - zero);
        const double pad = theme_.em(0.55);
        if (b - a < text.width() + 4 * pad) {
            const double y = zero + 0.6 * (foot - zero);
            const QRectF rect = firstFree({text.rect(b + pad, y), text.rect(a - pad - text.width(), y)}, texts_);
            return draw(text, rect, theme_.text);
        }
        const double room = (b - a) / 2 - text.width() / 2 - 2 * pad;
        std::vector<QRectF> candidates;
        for (double shift : {0.0, 0.4, -0.4, 0.8, -0.8}) {
            const double centre = (a + b) / 2 + std::clamp(shift * text.width(), -room, room);
            candidates.push_back(text.rect(centre - text.width() / 2, foot).adjusted(-pad, 0.0, pad, 0.0));
        }
        const QRectF ground = firstFree(candidates, texts_);
        painter_.fillRect(ground, theme_.ground);
        draw(text, ground.adjusted(pad, 0.0, -pad, 0.0), theme_.text);
    }

    void collectObstacles() {
        each<Bars>([this](const Bars& bars) {
            for (const Bars::Bar& bar : bars.bars)
                if (const QRectF rect = barRect(bars, bar, place_, theme_); !rect.isNull())
                    obstacles_.push_back(rect.united(whiskerRect(rect, bar, place_, theme_)));
        });
        each<Points>([this](const Points& points) {
            for (const Points::Point& point : points.points)
                if (const auto placed = placedPoint(point.x, point.y, place_)) {
                    const double radius = point.sizePt * theme_.unitsPerPoint / 2;
                    obstacles_.emplace_back(placed->centre - QPointF(radius, radius), QSizeF(2 * radius, 2 * radius));
                }
        });
    }

    void pointLabels(const Points& points) {
        for (const Points::Point& point : points.points) {
            const auto placed = placedPoint(point.x, point.y, place_);
            if (!placed) continue;
            std::string label = point.label;
            if (label.empty() && placed->beyond != Beyond::No) label = beyondText(point, placed->beyond);
            if (label.empty()) continue;
            const bool off = placed->beyond != Beyond::No;
            const RichText text(label, theme_, !off);
            const double gap = off ? theme_.em(0.85) : point.sizePt * theme_.unitsPerPoint / 2 + theme_.em(0.5);
            const double x = placed->centre.x(), y = placed->centre.y(), up = theme_.em(0.6) + gap;
            std::vector<QRectF> candidates;
            if (placed->beyond != Beyond::Right)  // a little higher or lower still belongs to the mark
                for (double shift : {0.0, -0.35, 0.35, -0.6, 0.6})
                    candidates.push_back(text.rect(x + gap, y + theme_.em(shift)));
            candidates.push_back(text.rect(x - gap - text.width(), y));
            if (!off)
                for (double side : {-up, up}) candidates.push_back(text.rect(x - text.width() / 2, y + side));
            for (QRectF& candidate : candidates) candidate.adjust(0.0, 0.0, 0.0, -theme_.em(kNoDescenders));
            const QRectF rect = firstFree(candidates, texts_);
            if (!isFree(rect, texts_)) continue;  // the pointer still finds it
            draw(text, rect, off ? theme_.secondary : textColour(point.ink, theme_));
        }
    }

    std::string beyondText(const Points::Point& point, Beyond beyond) const {
        const bool horizontal = beyond == Beyond::Left || beyond == Beyond::Right;
        const double value = horizontal ? point.x : point.y;
        const bool percent = (horizontal ? panel_.x : panel_.y).format == TickFormat::Percent;
        return percent ? shortNumber(100.0 * value) + " %" : shortNumber(value);
    }

    void ruleLabel(const Rule& rule) {
        const bool vertical = rule.direction == Rule::Direction::Vertical;
        if (rule.label.empty() || !(vertical ? place_.x : place_.y).holds(rule.at)) return;
        const RichText text(rule.label, theme_);
        const QRectF rect = vertical ? verticalRuleLabel(rule, text) : horizontalRuleLabel(rule, text);
        if (!rect.isNull()) draw(text, rect, textColour(rule.ink, theme_));
    }

    // At the top on the wanted side, or a line lower where something stands; nowhere when there is no room. A header
    // has one line only: there the other side will do as well.
    QRectF verticalRuleLabel(const Rule& rule, const RichText& text) const {
        const double x = place_.x.position(rule.at), gap = theme_.em(place_.header ? 0.4 : 0.6);
        std::vector<QRectF> taken = texts_;
        taken.insert(taken.end(), obstacles_.begin(), obstacles_.end());
        for (int line = 0; line < 4; ++line) {
            const double first = place_.header ? -0.75 : 0.85;
            const double y = place_.plot.top() + theme_.em(first + 1.2 * line);
            const QRectF before = text.rect(x - gap - text.width(), y), after = text.rect(x + gap, y);
            std::vector<QRectF> candidates{rule.labelBefore ? before : after};
            if (place_.header) candidates.push_back(rule.labelBefore ? after : before);
            for (const QRectF& rect : candidates) {
                const bool inside =
                    rect.left() >= place_.plot.left() && rect.right() <= place_.plot.right() + theme_.em(1.5);
                if (inside && isFree(rect, taken)) return rect;
            }
        }
        return {};
    }

    // Above the line's start, moved along it to where no mark stands.
    QRectF horizontalRuleLabel(const Rule& rule, const RichText& text) const {
        std::vector<QRectF> taken = texts_;
        taken.insert(taken.end(), obstacles_.begin(), obstacles_.end());
        const double y = place_.y.position(rule.at);
        std::vector<QRectF> candidates;
        for (double side : {-0.75, 0.85})
            for (double x = place_.plot.left() + theme_.em(0.5); x + text.width() < place_.plot.right();
                 x += theme_.em(0.5)) {
                const QRectF rect = text.rect(x, y + theme_.em(side));
                if (rect.top() >= place_.plot.top() - theme_.em(0.6)) candidates.push_back(rect);
            }
        if (candidates.empty())
            candidates.push_back(text.rect(place_.plot.left() + theme_.em(0.5), y - theme_.em(0.75)));
        return firstFree(candidates, taken);
    }

    QPainter& painter_;
    const Panel& panel_;
    const PanelGeometry& place_;
    const FigureTheme& theme_;
    const Highlight& highlight_;
    std::vector<QRectF> texts_, obstacles_;
};

}  // namespace

void paintLabels(QPainter& painter, const DrawnFigure& drawn) {
    for (std::size_t i = 0; i < drawn.figure->panels.size(); ++i) {
        LabelPainter labels(painter, drawn, i);
        labels.paint();
        paintEndLabels(painter, drawn, i);
        paintNearLabels(painter, drawn, i, labels.taken());
    }
}

}  // namespace dimscope::io
