// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/figures/figure_parts.h"
#include "analysis/figures/kernel_figures.h"
#include "analysis/figures/kernel_parts.h"

namespace dimscope::analysis {
namespace {

constexpr double kSeedSizePt = 3.0, kMeanSizePt = 6.0;

class DotPlot {
public:
    DotPlot(const ComparisonResult& result, LayerIndex layer, HeadIndex head)
        : result_(result), ranked_(rankedKernels(result, layer, head)), rows_(ranked_.size() + 1) {
        for (const std::string& name : shownReferences(result))
            if (name == "zero" && !result.evaluation.hasExactPart())
                references_.emplace_back("Zero", 1.0);  // answering zero errs by the whole output, by definition
            else if (const KernelError* error = result.find(layer, head, name); error && std::isfinite(error->relMse))
                references_.emplace_back(kernelTitle(result, name), error->relMse);
        std::vector<double> values;
        for (const KernelError* error : ranked_) {
            values.push_back(error->relMse);
            values.insert(values.end(), error->seedRelMse.begin(), error->seedRelMse.end());
        }
        for (const auto& [title, value] : references_) values.push_back(value);
        range_ = sensibleRange(values);
    }

    std::size_t rows() const { return rows_; }

    Panel panel() const {
        Panel panel;
        panel.x.title = "RelMSE, log scale";
        panel.x.scale = AxisScale::Log;
        panel.x.from = range_.from;
        panel.x.to = range_.to;
        panel.y.from = -0.5;
        panel.y.to = static_cast<double>(rows_) - 0.5;
        panel.y.grid = false;
        addReferences(panel);
        addExact(panel);
        for (std::size_t i = 0; i < ranked_.size(); ++i) addKernel(*ranked_[i], height(i + 1), panel);
        return panel;
    }

private:
    // Row 0 is the top one.
    double height(std::size_t row) const { return static_cast<double>(rows_ - 1 - row); }

    static void addName(const std::string& title, double y, Panel& panel) {
        panel.y.ticks.push_back(y);
        panel.y.tickLabels.push_back(title);
    }

    void addReferences(Panel& panel) const {
        for (const auto& [title, value] : references_)
            if (range_.holds(value))
                panel.marks.push_back(Rule{Rule::Direction::Vertical, value, inkOf(Role::Secondary), true,
                                           lowerCase(title), value < 1.0});
    }

    static std::string lowerCase(std::string title) {
        for (char& c : title)
            if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
        return title;
    }

    // Zero has no place on a logarithmic axis.
    void addExact(Panel& panel) const {
        addName(kernelTitle("softmax"), height(0), panel);
        panel.marks.push_back(
            Text{range_.from, height(0), "exact: 0", Text::Anchor::Left, inkOf(Role::Secondary), false});
    }

    void addKernel(const KernelError& error, double y, Panel& panel) const {
        addName(kernelTitle(error.kernel), y, panel);
        if (!std::isfinite(error.relMse) || error.relMse == 0.0) return addWords(error, y, panel);
        if (!range_.holds(error.relMse)) return addPinned(error, y, panel);
        Points seeds, mean;
        double least = error.relMse, most = error.relMse;
        if (error.seedRelMse.size() > 1)
            for (double value : error.seedRelMse)
                if (range_.holds(value)) {
                    seeds.points.push_back({value, y, kernelInk(error.kernel), kSeedSizePt, {}, hover(error)});
                    least = std::min(least, value);
                    most = std::max(most, value);
                }
        if (most > least) {
            Line span;
            span.points = {{least, y}, {most, y}};
            span.ink = kernelInk(error.kernel);
            span.hover = hover(error);
            panel.marks.push_back(std::move(span));
        }
        mean.points.push_back({error.relMse, y, kernelInk(error.kernel), kMeanSizePt, {}, hover(error)});
        panel.marks.push_back(std::move(seeds));
        panel.marks.push_back(std::move(mean));
    }

    void addWords(const KernelError& error, double y, Panel& panel) const {
        std::string words = "exact: 0";
        if (!std::isfinite(error.relMse))
            words = std::isfinite(error.mse) ? "undefined (exact output is 0)" : "no finite row";
        panel.marks.push_back(Text{range_.from, y, words, Text::Anchor::Left, inkOf(Role::Secondary), false});
    }

    // Off the axis: a mark at the edge, its number beside it, instead of a stretched axis.
    void addPinned(const KernelError& error, double y, Panel& panel) const {
        const bool above = error.relMse > range_.to;
        const double inset = std::pow(range_.to / range_.from, 0.015);
        const double x = above ? range_.to / inset : range_.from * inset;
        const double beside = above ? x / (inset * inset) : x * inset * inset;
        const std::string number = numberText(error.relMse);
        Points mark;
        mark.points.push_back({x, y, kernelInk(error.kernel), kMeanSizePt, {}, hover(error)});
        panel.marks.push_back(std::move(mark));
        panel.marks.push_back(Text{beside, y, above ? number + " →" : "← " + number,
                                   above ? Text::Anchor::Right : Text::Anchor::Left, inkOf(Role::Secondary), false});
    }

    Hover hover(const KernelError& error) const {
        std::string text = fmt::format("{}: RelMSE {}, MSE {}", kernelTitle(error.kernel), numberText(error.relMse),
                                       numberText(error.mse));
        if (error.seedRelMse.size() > 1) {
            const auto [least, most] = std::minmax_element(error.seedRelMse.begin(), error.seedRelMse.end());
            text +=
                fmt::format(", {} draws from {} to {}", error.seedRelMse.size(), numberText(*least), numberText(*most));
        }
        if (error.gate) text += fmt::format(", gate {}", numberText(*error.gate));
        if (error.badRows > 0) text += fmt::format(", {} rows left out", error.badRows);
        return {kernelKey(result_, error.kernel), text};
    }

    const ComparisonResult& result_;
    std::vector<const KernelError*> ranked_;
    std::size_t rows_;
    std::vector<std::pair<std::string, double>> references_;
    LogRange range_;
};

}  // namespace

Figure kernelErrorFigure(const ComparisonResult& result, LayerIndex layer, HeadIndex head) {
    Figure figure = comparisonFigure("kernel-error", "Error per kernel",
                                     "RelMSE; small marks: single draws, large: all draws", result, layer, head);
    if (rankedKernels(result, layer, head).empty()) {
        figure.panels.push_back(emptyPanel("no kernel is evaluated on this head"));
        return figure;
    }
    const DotPlot plot(result, layer, head);
    figure.heightMm = 22.0 + 5.0 * static_cast<double>(plot.rows());
    figure.panels.push_back(plot.panel());
    return figure;
}

}  // namespace dimscope::analysis
