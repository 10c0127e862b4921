// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/figures/budget_figures.h"
#include "analysis/figures/figure_parts.h"
#include "analysis/figures/kernel_parts.h"

namespace dimscope::analysis {
namespace {

constexpr double kRandomSizePt = 2.5, kNamedSizePt = 4.5;

std::string partitionTitle(const BudgetPoint& point) {
    if (point.order == "none") return point.groups > 1.0 ? "one group per dimension" : "one group";
    if (point.order == "random") return "random, sizes of the gaps";
    const std::string order = point.order == "chi"       ? "χ"
                              : point.order == "chi_eff" ? "effective χ"
                              : point.order == "q"       ? "|q|"
                              : point.order == "k"       ? "|k|"
                                                         : "rotation frequency";
    if (point.cutRule == "gap") return order + ", largest gaps";
    if (point.cutRule == "grouping") return order + ", grouping";
    if (point.cutRule == "random") return order + ", random cuts";
    return order + ", equal parts";
}

/// Mark of an order: role and shape, no two alike.
struct OrderMark {
    const char* order;
    const char* cutRule;
    Role role;
    MarkerShape shape;
};
constexpr OrderMark kOrderMarks[] = {{"chi", "gap", Role::OutlierQuery, MarkerShape::Disc},
                                     {"chi", "grouping", Role::OutlierQuery, MarkerShape::Diamond},
                                     {"chi_eff", "gap", Role::Accent, MarkerShape::Square},
                                     {"q", "gap", Role::Partner, MarkerShape::TriangleUp},
                                     {"k", "gap", Role::Partner, MarkerShape::TriangleDown},
                                     {"rope", "equal", Role::Secondary, MarkerShape::Square},
                                     {"none", "none", Role::Text, MarkerShape::Disc}};

class BudgetPanel {
public:
    explicit BudgetPanel(const BudgetResult& result) : result_(result) {
        std::vector<double> errors{1.0};
        double most = 3.0;
        for (const BudgetPoint& point : result.points) {
            errors.push_back(point.relMse);
            most = std::max(most, point.parameters);
        }
        range_ = sensibleRange(errors);
        panel_.x.title = "Parameters per head";
        panel_.x.scale = panel_.y.scale = AxisScale::Log;
        panel_.x.from = 2.0;
        panel_.x.to = most * 1.5;
        panel_.y.title = "RelMSE";
        panel_.y.from = range_.from;
        panel_.y.to = range_.to;
    }

    Panel panel() {
        if (range_.holds(1.0))
            panel_.marks.push_back(Rule{Rule::Direction::Horizontal, 1.0, inkOf(Role::Secondary), true, "zero"});
        addRandom();
        addFront();
        for (const OrderMark& mark : kOrderMarks) addNamed(mark);
        return panel_;
    }

private:
    Points::Point pointAt(std::size_t n, Role role, double sizePt) const {
        const BudgetPoint& point = result_.points[n];
        return {
            point.parameters,
            point.relMse,
            inkOf(role),
            sizePt,
            {},
            {static_cast<int>(n), fmt::format("{}: {:.3g} groups, {:.4g} parameters, RelMSE {}", partitionTitle(point),
                                              point.groups, point.parameters, numberText(point.relMse))}};
    }
    void addRandom() {
        Points points;
        for (std::size_t n = 0; n < result_.points.size(); ++n)
            if (result_.points[n].draw >= 0 && range_.holds(result_.points[n].relMse))
                points.points.push_back(pointAt(n, Role::BulkKey, kRandomSizePt));
        if (!points.points.empty()) panel_.marks.push_back(std::move(points));
    }
    void addFront() {
        Line line;
        line.ink = inkOf(Role::Text);
        line.widthPt = 1.5;
        for (const BudgetPoint& point : result_.points)
            if (point.front && range_.holds(point.relMse)) line.points.emplace_back(point.parameters, point.relMse);
        std::sort(line.points.begin(), line.points.end());
        line.endLabel = "front";
        if (line.points.size() > 1) panel_.marks.push_back(std::move(line));
    }
    void addNamed(const OrderMark& mark) {
        Points points;
        points.shape = mark.shape;
        for (std::size_t n = 0; n < result_.points.size(); ++n) {
            const BudgetPoint& point = result_.points[n];
            if (point.draw >= 0 || point.order != mark.order || point.cutRule != mark.cutRule) continue;
            if (range_.holds(point.relMse)) points.points.push_back(pointAt(n, mark.role, kNamedSizePt));
        }
        if (points.points.empty()) return;
        // One mark of every kind carries its name: the rightmost.
        const auto last = std::max_element(points.points.begin(), points.points.end(),
                                           [](const auto& a, const auto& b) { return a.x < b.x; });
        last->label = partitionTitle(result_.points[static_cast<std::size_t>(last->hover.key)]);
        panel_.marks.push_back(std::move(points));
    }

    const BudgetResult& result_;
    LogRange range_;
    Panel panel_;
};

}  // namespace

Figure budgetFigure(const BudgetResult& result) {
    Figure figure;
    figure.name = "budget";
    figure.title = "Error against groups and parameters";
    figure.caption = "Fitted quadratic kernels judged at all rows; light points: random partitions and cuts" +
                     extentText(result.provenance, result.prompts.size());
    figure.heightMm = 80.0;
    figure.warnings = result.warnings;
    figure.provenance = result.provenance;
    if (std::none_of(result.points.begin(), result.points.end(),
                     [](const BudgetPoint& point) { return std::isfinite(point.relMse) && point.relMse > 0.0; }))
        figure.panels.push_back(emptyPanel("no partition has a defined error"));
    else
        figure.panels.push_back(BudgetPanel(result).panel());
    return figure;
}

}  // namespace dimscope::analysis
