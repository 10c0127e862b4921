// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/figures/orders_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "analysis/figures/figure_parts.h"
#include "analysis/figures/kernel_parts.h"
#include "analysis/figures/layer_head_map.h"

namespace dimscope::analysis {
namespace {

using HeadValue = std::function<double(const HeadOrders&)>;
using PointValue = std::function<double(const DilutionPoint&)>;

constexpr std::array kLayerRoles{Role::Text, Role::OutlierQuery, Role::Partner, Role::Accent, Role::Secondary};
constexpr Index kBins = 24;  // of query positions, equal in log t

Figure ordersFrame(const char* name, const char* title, const std::string& what, const OrdersResult& result) {
    Figure figure;
    figure.name = name;
    figure.title = title;
    figure.caption = what + extentText(result.provenance, result.prompts.size());
    figure.warnings = result.warnings;
    figure.provenance = result.provenance;
    return figure;
}

double shareOf(double part, double total) { return total > 0.0 ? part / total : kNaN; }

Panel orderPanel(const OrdersResult& result, const std::string& title, const HeadValue& value) {
    LayerHeadValues values;
    for (const HeadOrders& head : result.heads) values[{head.layer, head.head}] = head.usable ? value(head) : kNaN;
    HeatMap look;
    look.barTitle = title;
    return layerHeadPanel(values, std::move(look));
}

/// Means of a number over the heads of a layer, in bins of query positions that are equal in log t.
struct LayerCurve {
    LayerIndex layer;
    std::vector<std::pair<double, double>> points;  ///< (t, value), ascending
};

std::vector<LayerCurve> layerCurves(const OrdersResult& result, const PointValue& value) {
    std::map<LayerIndex, std::map<int, std::array<double, 3>>> sums;  // layer -> bin -> log t, value, count
    for (const HeadOrders& head : result.heads)
        for (const DilutionPoint& point : head.dilution) {
            const double number = value(point);
            if (!std::isfinite(number) || !(point.visible >= 1.0)) continue;
            const double log = std::log2(point.visible);
            auto& sum = sums[head.layer][static_cast<int>(log * static_cast<double>(kBins) / 12.0)];
            sum[0] += log;
            sum[1] += number;
            sum[2] += 1.0;
        }
    std::vector<LayerCurve> curves;
    for (const auto& [layer, bins] : sums) {
        LayerCurve curve{layer, {}};
        for (const auto& [bin, sum] : bins) curve.points.emplace_back(std::exp2(sum[0] / sum[2]), sum[1] / sum[2]);
        curves.push_back(std::move(curve));
    }
    return curves;
}

Axis visibleKeysAxis(const std::vector<LayerCurve>& curves) {
    Axis axis;
    axis.title = "visible keys <i>t</i>";
    axis.scale = AxisScale::Log;
    axis.grid = false;
    double least = 1e9, most = 2.0;
    for (const LayerCurve& curve : curves)
        for (const auto& [t, value] : curve.points) {
            least = std::min(least, t);
            most = std::max(most, t);
        }
    axis.from = std::min(least, most / 2.0);
    axis.to = most;
    const double step = most / axis.from > 300.0 ? 4.0 : 2.0;
    for (double tick = 1.0; tick <= most * 1.001; tick *= step)
        if (tick >= axis.from) {
            axis.ticks.push_back(tick);
            axis.tickLabels.push_back(fmt::format("{:.0f}", tick));
        }
    return axis;
}

void addCurves(const std::vector<LayerCurve>& curves, bool labels, bool dashed, Panel& panel) {
    for (std::size_t i = 0; i < curves.size(); ++i) {
        Line line;
        line.points = curves[i].points;
        line.ink = inkOf(kLayerRoles[i % kLayerRoles.size()]);
        line.dashed = dashed;
        line.widthPt = dashed ? 0.75 : 1.0;
        const std::string name = fmt::format("layer {}", curves[i].layer.value);
        if (labels) line.endLabel = name;
        line.hover = {static_cast<int>(i), name};
        panel.marks.push_back(std::move(line));
    }
}

std::vector<double> valuesOn(const std::vector<LayerCurve>& curves) {
    std::vector<double> values;
    for (const LayerCurve& curve : curves)
        for (const auto& [t, value] : curve.points) values.push_back(value);
    return values;
}

/// |y| and, dashed, |y - y0| with what 1/sqrt(t) would be from the first layer's first point.
Panel normPanel(const OrdersResult& result, const Axis& x) {
    const auto whole = layerCurves(result, [](const DilutionPoint& p) { return p.norm; });
    const auto zeroSum =
        layerCurves(result, [](const DilutionPoint& p) { return p.visible > 1.0 ? p.zeroSumNorm : kNaN; });
    std::vector<double> values = valuesOn(whole);
    const std::vector<double> more = valuesOn(zeroSum);
    values.insert(values.end(), more.begin(), more.end());
    const LogRange range = sensibleRange(values);
    Panel panel;
    panel.x = x;
    panel.y.title = "|<i>y</i>|, dashed |<i>y</i> − <i>y</i><sub>0</sub>|";
    panel.y.scale = AxisScale::Log;
    panel.y.from = range.from;
    panel.y.to = range.to;
    const auto& [firstT, firstNorm] = whole.front().points.front();
    Line fall;
    fall.ink = inkOf(Role::Secondary);
    fall.widthPt = 0.75;
    fall.endLabel = "1/√<i>t</i>";
    for (double t = firstT; t <= x.to * 1.001; t *= 1.25)
        if (const double y = firstNorm * std::sqrt(firstT / t); range.holds(y)) fall.points.emplace_back(t, y);
    panel.marks.push_back(std::move(fall));
    addCurves(whole, true, false, panel);
    addCurves(zeroSum, false, true, panel);
    return panel;
}

Panel sharePanel(const OrdersResult& result, const Axis& x, const std::string& title, const PointValue& value) {
    const auto curves = layerCurves(result, value);
    Panel panel;
    panel.x = x;
    panel.y.title = title;
    panel.y.format = TickFormat::Percent;
    double most = 1.0;
    for (const double number : valuesOn(curves)) most = std::max(most, number);
    panel.y.to = most > 1.0 ? most * 1.08 : 1.0;
    panel.y.ticks = most > 1.0 ? niceTicks(0.0, most, 4) : std::vector<double>{0.0, 0.5, 1.0};
    addCurves(curves, true, false, panel);
    return panel;
}

Panel tokensPanel(const OrdersResult& result, const Axis& x) {
    const auto curves = layerCurves(result, [](const DilutionPoint& p) { return p.effectiveTokens; });
    Panel panel;
    panel.x = x;
    panel.y.title = "effective tokens";
    panel.y.scale = AxisScale::Log;
    const LogRange range = sensibleRange(valuesOn(curves));
    panel.y.from = std::min(range.from, 1.0);
    panel.y.to = range.to;
    addCurves(curves, true, false, panel);
    return panel;
}

struct ZeroSumForm {
    const char* title;
    HeadValue error;
    MarkerShape shape;
    Role role;
};

std::array<ZeroSumForm, 3> zeroSumForms() {
    return {{{"ZeroS-SM, gates in the box", [](const HeadOrders& h) { return h.zerosSm.relMse; },
              MarkerShape::TriangleUp, Role::Partner},
             {"linear proxy", [](const HeadOrders& h) { return h.linearZeros.relMse; }, MarkerShape::TriangleDown,
              Role::OutlierQuery},
             {"linear proxy with zero order", [](const HeadOrders& h) { return h.linearZerosFree.relMse; },
              MarkerShape::Disc, Role::Text}}};
}

}  // namespace

Figure ordersMapFigure(const OrdersResult& result) {
    Figure figure = ordersFrame("orders-map", "Orders of softmax",
                                "share of the weights' energy, first and higher order split at right angles", result);
    figure.widthMm = 110.0;
    if (result.heads.empty()) {
        figure.panels.push_back(emptyPanel("no head was looked at"));
        return figure;
    }
    figure.panels = {
        orderPanel(result, "zero order", [](const HeadOrders& h) { return shareOf(h.energy.zero, h.energy.total); }),
        orderPanel(result, "first order",
                   [](const HeadOrders& h) { return shareOf(h.energy.orthogonalFirst, h.energy.total); }),
        orderPanel(result, "higher orders",
                   [](const HeadOrders& h) { return shareOf(h.energy.orthogonalHigher, h.energy.total); })};
    std::map<LayerIndex, int> layers;
    for (const HeadOrders& head : result.heads) ++layers[head.layer];
    figure.heightMm = std::clamp(30.0 + 3.0 * (10.0 + 3.5 * static_cast<double>(layers.size())), 110.0, 220.0);
    figure.sharedX = true;
    return figure;
}

Figure dilutionFigure(const OrdersResult& result) {
    Figure figure =
        ordersFrame("dilution", "Dilution", "mean over the heads of a layer, by number of visible keys", result);
    figure.widthMm = 110.0;
    figure.heightMm = 110.0;
    const auto curves = layerCurves(result, [](const DilutionPoint& p) { return p.norm; });
    if (curves.empty()) {
        figure.panels.push_back(emptyPanel("no row was looked at"));
        return figure;
    }
    const Axis x = visibleKeysAxis(curves);
    figure.sharedX = true;
    figure.panels = {normPanel(result, x),
                     sharePanel(result, x, "|<i>y</i><sub>0</sub>|² / |<i>y</i>|²",
                                [](const DilutionPoint& p) { return p.zeroShare; }),
                     tokensPanel(result, x),
                     sharePanel(result, x, "entropy / log <i>t</i>", [](const DilutionPoint& p) { return p.entropy; })};
    return figure;
}

Figure zeroSumErrorFigure(const OrdersResult& result) {
    Figure figure = ordersFrame("zero-sum-error", "What zero-sum attention expresses",
                                "RelMSE per head with fitted gates · functional form, untrained", result);
    std::vector<double> errors{1.0};
    const auto forms = zeroSumForms();
    for (const HeadOrders& head : result.heads)
        for (const ZeroSumForm& form : forms) errors.push_back(form.error(head));
    const LogRange range = sensibleRange(errors);
    Panel panel;
    panel.x.title = "heads, layer after layer";
    panel.x.from = -0.5;
    panel.x.to = std::max(0.5, static_cast<double>(result.heads.size()) - 0.5);
    panel.x.grid = false;
    for (const int tick : countTicks(static_cast<int>(result.heads.size()), 12)) {
        const HeadOrders& head = result.heads[static_cast<std::size_t>(tick)];
        panel.x.ticks.push_back(tick);
        panel.x.tickLabels.push_back(fmt::format("{}.{}", head.layer.value, head.head.value));
    }
    panel.y.title = "RelMSE";
    panel.y.scale = AxisScale::Log;
    panel.y.from = range.from;
    panel.y.to = range.to;
    panel.marks.push_back(Rule{Rule::Direction::Horizontal, 1.0, inkOf(Role::Secondary), true, "zero", false});
    std::vector<std::string> titles;
    for (const ZeroSumForm& form : forms) {
        Points points;
        points.shape = form.shape;
        for (std::size_t i = 0; i < result.heads.size(); ++i) {
            const HeadOrders& head = result.heads[i];
            const double error = form.error(head);
            if (!range.holds(error)) continue;
            points.points.push_back({static_cast<double>(i),
                                     error,
                                     inkOf(form.role),
                                     4.0,
                                     {},
                                     {static_cast<int>(i), fmt::format("{}: {} {}", placeText(head.layer, head.head),
                                                                       form.title, numberText(error))}});
        }
        panel.marks.push_back(std::move(points));
        titles.emplace_back(form.title);
    }
    panel.note = "▲ " + titles[0] + "   ▼ " + titles[1] + "   ● " + titles[2];
    figure.panels.push_back(result.heads.empty() ? emptyPanel("no head was looked at") : std::move(panel));
    return figure;
}

}  // namespace dimscope::analysis
