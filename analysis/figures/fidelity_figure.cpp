// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/figures/fidelity_figures.h"
#include "analysis/figures/fidelity_rows.h"
#include "analysis/figures/figure_parts.h"

namespace dimscope::analysis {
namespace {

constexpr double kUntrainedSizePt = 4.0, kCalibratedSizePt = 6.0, kHeadSizePt = 2.5, kMedianSizePt = 6.0;

bool anyAfter(const FidelityResult& result) {
    return std::any_of(result.methods.begin(), result.methods.end(),
                       [](const MethodFidelity& method) { return method.after.has_value(); });
}

/// A kernel of the result with its one or two methods.
struct PairedMethods {
    std::string kernel;
    int untrained = -1, calibrated = -1;
};

double bestOf(const FidelityResult& result, const PairedMethods& pair) {
    double best = kNaN;
    for (const int m : {pair.untrained, pair.calibrated})
        if (m >= 0) best = std::fmin(best, relMseOf(result.methods[static_cast<std::size_t>(m)], false));
    return best;
}

/// Reference lines left out; nearest first, undefined last.
std::vector<PairedMethods> pairedMethods(const FidelityResult& result) {
    std::vector<PairedMethods> pairs;
    for (std::size_t m = 0; m < result.methods.size(); ++m) {
        const FidelityMethod& method = result.methods[m].method;
        if (isReferenceLine(method.kernel)) continue;
        auto found = std::find_if(pairs.begin(), pairs.end(),
                                  [&](const PairedMethods& pair) { return pair.kernel == method.kernel; });
        if (found == pairs.end()) found = pairs.insert(pairs.end(), {method.kernel, -1, -1});
        (method.calibrated ? found->calibrated : found->untrained) = static_cast<int>(m);
    }
    std::stable_sort(pairs.begin(), pairs.end(), [&](const PairedMethods& a, const PairedMethods& b) {
        const double x = bestOf(result, a), y = bestOf(result, b);
        return std::isfinite(x) && std::isfinite(y) ? x < y : std::isfinite(x) && !std::isfinite(y);
    });
    return pairs;
}

Figure fidelityFrame(const std::string& name, const std::string& title, const std::string& what,
                     const FidelityResult& result) {
    Figure figure;
    figure.name = name;
    figure.title = title;
    figure.caption = what + extentText(result.provenance, result.prompts.size());
    figure.warnings = result.warnings;
    figure.provenance = result.provenance;
    figure.sharedX = false;
    return figure;
}

std::string hoverOf(const MethodFidelity& method, bool after) {
    const PooledFidelity& pooled = after ? *method.after : method.before;
    std::string text = fmt::format("{}: RelMSE {}, MSE {}", methodTitle(method.method), numberText(pooled.error.relMse),
                                   numberText(pooled.error.mse));
    if (std::isfinite(pooled.sequenceError))
        text += fmt::format(", standard error over sequences {}", numberText(pooled.sequenceError));
    if (std::isfinite(pooled.rowError)) text += fmt::format(", for the rows not drawn {}", numberText(pooled.rowError));
    return text;
}

Panel pairedPanel(const FidelityResult& result, const std::vector<PairedMethods>& pairs, bool after) {
    std::vector<std::string> titles;
    std::vector<double> values;
    for (const PairedMethods& pair : pairs) titles.push_back(kernelTitle(pair.kernel));
    for (const MethodFidelity& method : result.methods) values.push_back(relMseOf(method, after));
    FidelityRowsPanel panel(titles, values, after ? "after W_o" : "before W_o");
    panel.addReferences(result, after);
    for (std::size_t row = 0; row < pairs.size(); ++row) {
        const auto value = [&](int m) {
            return m < 0 ? kNaN : relMseOf(result.methods[static_cast<std::size_t>(m)], after);
        };
        const auto hover = [&](int m) {
            const MethodFidelity& method = result.methods[static_cast<std::size_t>(m)];
            return Hover{m, after && !method.after ? methodTitle(method.method) + ": no error after W_o"
                                                   : hoverOf(method, after)};
        };
        panel.addSpan(row, value(pairs[row].untrained), value(pairs[row].calibrated), kernelInk(pairs[row].kernel),
                      1.0);
        if (pairs[row].untrained >= 0)
            panel.addPoint(row, value(pairs[row].untrained),
                           pairs[row].calibrated < 0 ? kernelInk(pairs[row].kernel) : inkOf(Role::Secondary),
                           kUntrainedSizePt, hover(pairs[row].untrained));
        if (pairs[row].calibrated >= 0)
            panel.addPoint(row, value(pairs[row].calibrated), kernelInk(pairs[row].kernel), kCalibratedSizePt,
                           hover(pairs[row].calibrated));
    }
    return panel.panel();
}

double relMseOf(const HeadFidelity& head, bool after) {
    if (!after) return head.before.relMse;
    return head.after ? head.after->relMse : kNaN;
}

Panel headsPanel(const FidelityResult& result, const std::vector<std::size_t>& methods, bool after) {
    std::vector<std::string> titles;
    std::vector<double> values{1.0};
    for (const std::size_t m : methods) titles.push_back(methodTitle(result.methods[m].method));
    for (const HeadFidelity& head : result.heads) values.push_back(relMseOf(head, after));
    FidelityRowsPanel panel(titles, values, after ? "after W_o, one head replaced" : "before W_o");
    panel.addReferences(result, after);
    for (std::size_t row = 0; row < methods.size(); ++row) {
        const MethodFidelity& method = result.methods[methods[row]];
        const int key = static_cast<int>(methods[row]);
        for (const HeadFidelity& head : result.heads) {
            const double value = relMseOf(head, after);
            if (!(head.method == method.method) || !std::isfinite(value)) continue;
            panel.addPoint(row, value, inkOf(Role::Secondary), kHeadSizePt,
                           {key, fmt::format("{}, {}: RelMSE {}", methodTitle(method.method),
                                             placeText(head.layer, head.head), numberText(value))});
        }
        const PooledFidelity pooled = after ? method.after.value_or(PooledFidelity{}) : method.before;
        const Ink ink = kernelInk(method.method.kernel);
        panel.addSpan(row, pooled.headQuartile1, pooled.headQuartile3, ink, 2.0);
        panel.addPoint(row, pooled.headMedian, ink, kMedianSizePt,
                       {key, fmt::format("{}: median of heads {}, quartiles {} and {}", methodTitle(method.method),
                                         numberText(pooled.headMedian), numberText(pooled.headQuartile1),
                                         numberText(pooled.headQuartile3))});
    }
    return panel.panel();
}

}  // namespace

Figure fidelityFigure(const FidelityResult& result) {
    Figure figure = fidelityFrame(
        "fidelity", "Kernels in place of exact attention",
        "RelMSE pooled over layers, heads and rows; grey: untrained, large and coloured: calibrated", result);
    const std::vector<PairedMethods> pairs = pairedMethods(result);
    if (pairs.empty()) {
        figure.panels.push_back(emptyPanel("no kernel is evaluated"));
        return figure;
    }
    figure.panels.push_back(pairedPanel(result, pairs, false));
    if (anyAfter(result)) figure.panels.push_back(pairedPanel(result, pairs, true));
    figure.heightMm = static_cast<double>(figure.panels.size()) * (14.0 + 5.0 * static_cast<double>(pairs.size()));
    return figure;
}

Figure fidelityHeadsFigure(const FidelityResult& result) {
    Figure figure = fidelityFrame("fidelity-heads", "Kernels in place of exact attention, by head",
                                  "RelMSE; small: single heads, line: quartiles, large: median", result);
    std::vector<std::size_t> methods;
    for (std::size_t m = 0; m < result.methods.size(); ++m)
        if (!isReferenceLine(result.methods[m].method.kernel)) methods.push_back(m);
    std::stable_sort(methods.begin(), methods.end(), [&](std::size_t a, std::size_t b) {
        const double x = result.methods[a].before.headMedian, y = result.methods[b].before.headMedian;
        return std::isfinite(x) && std::isfinite(y) ? x < y : std::isfinite(x) && !std::isfinite(y);
    });
    if (methods.empty()) {
        figure.panels.push_back(emptyPanel("no kernel is evaluated"));
        return figure;
    }
    figure.panels.push_back(headsPanel(result, methods, false));
    if (anyAfter(result)) figure.panels.push_back(headsPanel(result, methods, true));
    figure.heightMm = static_cast<double>(figure.panels.size()) * (14.0 + 5.0 * static_cast<double>(methods.size()));
    return figure;
}

}  // namespace dimscope::analysis
