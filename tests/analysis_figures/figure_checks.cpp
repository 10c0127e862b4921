// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/analysis_figures/figure_checks.h"

#include <algorithm>
#include <cmath>

namespace dimscope::analysis::test {
namespace {

// Collects the first thing that is wrong with a panel; written so that NaN fails.
class PanelCheck {
public:
    explicit PanelCheck(const Panel& panel) : panel_(panel) {
        axis(panel.x, "x axis");
        axis(panel.y, "y axis");
        for (const Mark& mark : panel.marks) std::visit(*this, mark);
    }
    const std::string& problem() const { return problem_; }

    void operator()(const Band& b) {
        const bool vertical = b.direction == Rule::Direction::Vertical;
        on(vertical ? panel_.x : panel_.y, b.from, "band");
        on(vertical ? panel_.x : panel_.y, b.to, "band");
        require(b.from < b.to, "band has no width");
    }
    void operator()(const Ribbon& ribbon) {
        require(ribbon.parts.size() > 1, "ribbon without an area");
        for (const Ribbon::Part& part : ribbon.parts) {
            on(panel_.x, part.x, "ribbon x");
            on(panel_.y, part.from, "ribbon");
            on(panel_.y, part.to, "ribbon");
            require(part.from <= part.to, "ribbon upside down");
        }
    }
    void operator()(const Span& span) {
        on(panel_.x, span.from, "span");
        on(panel_.x, span.to, "span");
        on(panel_.y, span.y, "span");
        require(!span.label.empty(), "span without a label");
    }
    void operator()(const HeatMap& m) {
        require(m.values && !m.values->empty(), "heat map has no values");
        require(m.from < m.to && std::isfinite(m.from) && std::isfinite(m.to), "heat map has no range");
        require(m.scale != ColourScale::Log || m.from > 0.0, "logarithmic heat map from 0");
        if (!m.values) return;
        require(panel_.x.to == static_cast<double>(m.values->cols()), "x axis differs from the map's columns");
        require(panel_.y.to == static_cast<double>(m.values->rows()), "y axis differs from the map's rows");
        require(m.rowNames.size() == static_cast<std::size_t>(m.values->rows()), "row names");
        require(m.columnNames.size() == static_cast<std::size_t>(m.values->cols()), "column names");
    }
    void operator()(const Bars& bars) {
        for (const Bars::Bar& bar : bars.bars) {
            on(panel_.x, bar.x, "bar x");
            on(panel_.y, bar.base, "bar base");
            on(panel_.y, bar.top, "bar top");
            if (bar.whiskerFrom) on(panel_.y, *bar.whiskerFrom, "whisker");
            if (bar.whiskerTo) on(panel_.y, *bar.whiskerTo, "whisker");
            require(!bar.hover.text.empty(), "bar without a hover text");
        }
    }
    void operator()(const Line& line) {
        require(!line.points.empty(), "line without points");
        for (const auto& [x, y] : line.points) {
            on(panel_.x, x, "line x");
            if (!std::isnan(y)) on(panel_.y, y, "line y");  // NaN breaks the line
        }
        require(line.points.empty() || std::isfinite(line.points.back().second), "line ends in a break");
    }
    void operator()(const Rule& rule) {
        on(rule.direction == Rule::Direction::Vertical ? panel_.x : panel_.y, rule.at, "rule " + rule.label);
    }
    void operator()(const Arc& arc) {
        on(panel_.x, arc.from, "arc");
        on(panel_.x, arc.to, "arc");
        require(arc.depth > 0.0 && arc.depth <= 1.0, "arc depth");
        require(panel_.y.from < 0.0, "arc without room below zero");
    }
    void operator()(const Points& points) {
        for (const Points::Point& point : points.points) {
            on(panel_.x, point.x, "point x");
            on(panel_.y, point.y, "point y");
            require(!point.hover.text.empty(), "point without a hover text");
        }
    }
    void operator()(const Text& text) {
        on(panel_.x, text.x, "text " + text.text);
        on(panel_.y, text.y, "text " + text.text);
        require(!text.text.empty(), "empty text");
    }

private:
    void require(bool ok, const std::string& what) {
        if (!ok && problem_.empty()) problem_ = what;
    }
    void on(const Axis& axis, double value, const std::string& what) {
        require(value >= axis.from && value <= axis.to, what + " at " + std::to_string(value) + " off " +
                                                            std::to_string(axis.from) + " .. " +
                                                            std::to_string(axis.to));
    }
    void axis(const Axis& a, const std::string& what) {
        require(std::isfinite(a.from) && std::isfinite(a.to) && a.from < a.to, what + " has no range");
        require(a.scale != AxisScale::Log || a.from > 0.0, what + " is logarithmic and reaches 0");
        for (double tick : a.ticks) on(a, tick, what + " tick");
        require(a.tickLabels.empty() || a.tickLabels.size() == a.ticks.size(), what + " labels");
        require(std::is_sorted(a.ticks.begin(), a.ticks.end()) || !a.tickLabels.empty(),
                what + " ticks are not sorted");
    }

    const Panel& panel_;
    std::string problem_;
};

}  // namespace

std::vector<std::string> writtenIn(const Panel& panel) {
    std::vector<std::string> texts;
    for (const Rule& rule : marksOf<Rule>(panel))
        if (!rule.label.empty()) texts.push_back(rule.label);
    for (const Text& text : marksOf<Text>(panel)) texts.push_back(text.text);
    return texts;
}

::testing::AssertionResult isDrawable(const Figure& figure) {
    if (figure.name.empty() || figure.title.empty() || figure.caption.empty() || figure.panels.empty())
        return ::testing::AssertionFailure() << "figure '" << figure.name << "' lacks a name, a caption or panels";
    for (std::size_t i = 0; i < figure.panels.size(); ++i) {
        const PanelCheck check(figure.panels[i]);
        if (!check.problem().empty())
            return ::testing::AssertionFailure() << figure.name << " panel " << i << ": " << check.problem();
        if (figure.sharedX &&
            (figure.panels[i].x.from != figure.panels[0].x.from || figure.panels[i].x.to != figure.panels[0].x.to))
            return ::testing::AssertionFailure() << figure.name << ": panels share an x axis of different ranges";
    }
    return ::testing::AssertionSuccess();
}

::testing::AssertionResult saysWhyEmpty(const Figure& figure, const std::string& word) {
    if (figure.panels.size() != 1 || figure.panels[0].marks.size() != 1)
        return ::testing::AssertionFailure() << figure.name << " is not empty";
    const auto texts = writtenIn(figure.panels[0]);
    if (texts.size() != 1 || texts[0].find(word) == std::string::npos)
        return ::testing::AssertionFailure() << figure.name << " says " << ::testing::PrintToString(texts);
    return isDrawable(figure);
}

}  // namespace dimscope::analysis::test
