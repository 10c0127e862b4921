// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "analysis/figures/figure_parts.h"
#include "analysis/figures/kernel_figures.h"
#include "analysis/figures/kernel_parts.h"

namespace dimscope::analysis {

std::vector<PositionBin> errorBins(const KernelError& error, const std::vector<std::vector<Index>>& positions,
                                   Index binWidth) {
    struct Sums {
        Index rows = 0;
        double error = 0.0, energy = 0.0;
    };
    std::map<Index, Sums> sums;
    std::size_t i = 0;  // rowError runs over prompts, then rows
    for (const auto& prompt : positions)
        for (Index position : prompt) {
            if (i >= error.rowError.size() || i >= error.rowEnergy.size()) break;
            if (std::isfinite(error.rowError[i]) && std::isfinite(error.rowEnergy[i])) {
                Sums& bin = sums[position / binWidth];
                ++bin.rows;
                bin.error += error.rowError[i];
                bin.energy += error.rowEnergy[i];
            }
            ++i;
        }
    std::vector<PositionBin> bins;
    for (const auto& [bin, sum] : sums)
        bins.push_back({bin * binWidth, sum.rows,
                        sum.energy > 0.0 ? sum.error / sum.energy : std::numeric_limits<double>::quiet_NaN()});
    return bins;
}

namespace {

struct Curve {
    std::string kernel;
    std::vector<PositionBin> bins;
};

std::vector<Curve> curvesOf(const ComparisonResult& result, LayerIndex layer, HeadIndex head, Index binWidth) {
    std::vector<Curve> curves;
    const bool rests = result.evaluation.hasExactPart();
    for (const std::string& kernel : result.kernels) {
        if (kernel == "softmax" || (kernel == "zero" && !rests)) continue;  // 0 and 1 everywhere
        if (kernel == "first_value" && rests) continue;
        if (const KernelError* error = result.find(layer, head, kernel))
            curves.push_back({kernel, errorBins(*error, result.positions, binWidth)});
    }
    return curves;
}

Line lineOf(const Curve& curve, const std::string& title, const LogRange& range, Index binWidth, int key) {
    const bool reference = isReferenceLine(curve.kernel);
    Line line;
    line.ink = reference ? inkOf(Role::Secondary) : kernelInk(curve.kernel);
    line.widthPt = reference ? 0.75 : 1.0;
    line.dashed = reference;
    line.markers = !reference;
    std::string values;
    double lastShown = std::numeric_limits<double>::quiet_NaN();
    for (const PositionBin& bin : curve.bins) {
        const bool shown = range.holds(bin.relMse);
        const double x = static_cast<double>(bin.from) + 0.5 * static_cast<double>(binWidth);
        line.points.emplace_back(x, shown ? bin.relMse : std::numeric_limits<double>::quiet_NaN());
        if (shown) lastShown = x;
    }
    // The label hangs on the last point that is on the axis.
    while (!line.points.empty() && !(line.points.back().first <= lastShown)) line.points.pop_back();
    if (!line.points.empty()) line.endLabel = title;
    line.hover = {key, title};
    return line;
}

// Borders of bins, a power of two of them apart.
std::vector<double> binTicks(double last, Index binWidth) {
    double step = static_cast<double>(binWidth);
    while (last / step > 5.0) step *= 2.0;
    std::vector<double> ticks;
    for (double tick = 0.0; tick <= last; tick += step) ticks.push_back(tick);
    return ticks;
}

Panel positionPanel(const ComparisonResult& result, const std::vector<Curve>& curves, Index binWidth) {
    std::vector<double> values;
    double last = static_cast<double>(binWidth);
    for (const Curve& curve : curves)
        for (const PositionBin& bin : curve.bins) {
            values.push_back(bin.relMse);
            last = std::max(last, static_cast<double>(bin.from + binWidth));
        }
    const LogRange range = sensibleRange(values);
    Panel panel;
    panel.x.title = "query position";
    panel.x.to = last;
    panel.x.grid = false;
    panel.x.ticks = binTicks(last, binWidth);
    panel.y.title = "RelMSE";
    panel.y.scale = AxisScale::Log;
    panel.y.from = range.from;
    panel.y.to = range.to;
    if (range.holds(1.0) && !result.evaluation.hasExactPart())  // as `zero` errs
        panel.marks.push_back(Rule{Rule::Direction::Horizontal, 1.0, inkOf(Role::Secondary), true, {}, false});
    std::vector<std::string> absent;
    for (const Curve& curve : curves) {
        const std::string title = kernelTitle(result, curve.kernel);
        Line line = lineOf(curve, title, range, binWidth, kernelKey(result, curve.kernel));
        if (line.points.empty())
            absent.push_back(title);
        else
            panel.marks.push_back(std::move(line));
    }
    if (!absent.empty()) panel.note = "off the axis: " + wordList(absent);
    return panel;
}

}  // namespace

Figure errorByPositionFigure(const ComparisonResult& result, LayerIndex layer, HeadIndex head, Index binWidth) {
    const Index width = std::max<Index>(binWidth, 1);
    Figure figure = comparisonFigure("error-by-position", "Error by query position",
                                     fmt::format("bins of {} positions", width), result, layer, head);
    figure.widthMm = 100.0;
    figure.heightMm = 62.0;
    const std::vector<Curve> curves = curvesOf(result, layer, head, width);
    const bool any = std::any_of(curves.begin(), curves.end(), [](const Curve& curve) {
        return std::any_of(curve.bins.begin(), curve.bins.end(),
                           [](const PositionBin& bin) { return std::isfinite(bin.relMse) && bin.relMse > 0.0; });
    });
    figure.panels.push_back(any ? positionPanel(result, curves, width)
                                : emptyPanel("no row of this head has an error to show"));
    return figure;
}

}  // namespace dimscope::analysis
