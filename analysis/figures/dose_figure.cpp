// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/figures/figure_parts.h"
#include "analysis/figures/intervention_figures.h"
#include "analysis/figures/kernel_parts.h"
#include "analysis/figures/recorded_value.h"

namespace dimscope::analysis {
namespace {

double placeOn(DoseAxis axis, const DosePoint& point) {
    switch (axis) {
        case DoseAxis::Dimensions: return static_cast<double>(point.dimensions);
        case DoseAxis::ChiShare: return point.chiShare;
        case DoseAxis::VarianceShare: return point.varianceShare;
    }
    return kNaN;
}

Axis doseAxis(DoseAxis axis, const std::vector<DosePoint>& points) {
    Axis x;
    if (axis == DoseAxis::Dimensions) {
        x.title = "dimensions <i>n</i>, log scale";
        x.scale = AxisScale::Log;
        x.from = 1.0;
        x.to = 1.0;
        for (const DosePoint& point : points) x.to = std::max(x.to, placeOn(axis, point));
        for (double tick = 1.0; tick <= x.to; tick *= 2.0) {
            x.ticks.push_back(tick);
            x.tickLabels.push_back(fmt::format("{:.0f}", tick));
        }
        return x;
    }
    x.title = axis == DoseAxis::ChiShare ? "cumulative share of χ" : "cumulative share of the logits' variance";
    x.format = TickFormat::Percent;
    for (const DosePoint& point : points)
        if (std::isfinite(placeOn(axis, point))) x.to = std::max(x.to, placeOn(axis, point));
    return x;
}

Line doseLine(const InterventionResult& result, const std::string& kernel, bool random, DoseAxis axis,
              double DosePoint::*value) {
    Line line;
    for (const DosePoint& point : result.dose)
        if (point.kernel == kernel && point.random == random)
            line.points.emplace_back(placeOn(axis, point), point.*value);
    return line;
}

constexpr std::size_t kMostNamedNear = 8;  // more lines have their names at their ends

void addRandomOrders(const InterventionResult& result, DoseAxis axis, const std::string& kernel, Panel& panel) {
    Ribbon ribbon;
    for (const DosePoint& point : result.dose)
        if (point.kernel == kernel && point.random && std::isfinite(point.from) && std::isfinite(point.to) &&
            std::isfinite(placeOn(axis, point)))
            ribbon.parts.push_back({placeOn(axis, point), point.from, point.to});
    if (ribbon.parts.size() > 1) panel.marks.push_back(std::move(ribbon));
    Line mean = doseLine(result, kernel, true, axis, &DosePoint::ratio);
    if (mean.points.empty()) return;
    mean.ink = inkOf(Role::Secondary);
    mean.dashed = true;
    panel.marks.push_back(std::move(mean));
    std::string words = kernelTitle(kernel) + " on random dimensions,\nmean and 95 %";
    const auto* orders = recordedValue<std::int64_t>(result.provenance.parameters, "dose_draws");
    if (orders && *orders > 0) words += fmt::format(" of {} orders", *orders);
    panel.marks.push_back(
        Text{panel.x.to, 0.1 * panel.y.to, words, Text::Anchor::Right, inkOf(Role::Secondary), false});
}

void addKernels(const InterventionResult& result, DoseAxis axis, const std::string& chosen, Panel& panel) {
    for (std::size_t k = 0; k < result.methods.size(); ++k) {
        const std::string& kernel = result.methods[k].kernel;
        Line line = doseLine(result, kernel, false, axis, &DosePoint::ratio);
        line.ink = kernelInk(kernel);
        line.widthPt = kernel == chosen ? 1.8 : 1.0;
        line.markers = true;
        line.endLabel = kernelTitle(kernel);
        line.labelNear = result.methods.size() <= kMostNamedNear;
        line.hover = {static_cast<int>(k), kernelTitle(kernel)};
        panel.marks.push_back(std::move(line));
    }
}

}  // namespace

Figure doseFigure(const InterventionResult& result, DoseAxis axis, const std::string& chosen) {
    Figure figure;
    figure.name = "dose";
    figure.title = "Dose";
    figure.caption =
        fmt::format("kernel on the n largest dimensions of every head{}", extentText(result.provenance, 0));
    figure.heightMm = 80.0;
    figure.warnings = result.warnings;
    figure.provenance = result.provenance;
    if (result.dose.empty()) {
        figure.panels.push_back(emptyPanel("no dose curve was asked for"));
        return figure;
    }
    Panel panel;
    panel.x = doseAxis(axis, result.dose);
    panel.x.grid = false;
    panel.y.title = "retained error <i>R</i>";
    panel.y.format = TickFormat::Percent;
    panel.y.to = 1.0;
    for (const DosePoint& point : result.dose)
        for (const double value : {point.ratio, point.random && point.kernel == chosen ? point.to : kNaN})
            if (std::isfinite(value)) panel.y.to = std::max(panel.y.to, 1.08 * value);
    panel.marks.push_back(Rule{Rule::Direction::Horizontal, 1.0, inkOf(Role::Secondary), true, {}, false});
    addRandomOrders(result, axis, chosen, panel);
    addKernels(result, axis, chosen, panel);
    figure.panels.push_back(std::move(panel));
    return figure;
}

}  // namespace dimscope::analysis
