// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "analysis/figures/figure_parts.h"
#include "analysis/figures/intervention_figures.h"
#include "analysis/figures/kernel_parts.h"
#include "analysis/statistics.h"

namespace dimscope::analysis {
namespace {

constexpr double kPretrainedSizePt = 6.0, kGaussianSizePt = 5.0, kSubsetsWidthPt = 6.0;
constexpr double kLeastShownShare = 1e-5;  // smaller ratios stand at the edge

/// Gaussian control of one kernel: mean over draws, standard error over all their cells.
struct GaussianRatio {
    double ratio = kNaN, error = kNaN;
};

GaussianRatio gaussianOf(const InterventionResult& result, std::size_t kernel) {
    for (const ControlOutcome& outcome : result.controls) {
        if (outcome.rung != ControlRung::Gaussian) continue;
        std::vector<double> ratios, cells;
        for (const ControlDraw& draw : outcome.draws) {
            ratios.push_back(draw.own[kernel].retained.ratio);
            for (const RetainedCell& cell : draw.own[kernel].retained.cells)
                if (std::isfinite(cell.ratio())) cells.push_back(cell.ratio());
        }
        return {meanOf(ratios), standardDeviationOf(cells) / std::sqrt(static_cast<double>(cells.size()))};
    }
    return {};
}

class RetainedRows {
public:
    explicit RetainedRows(const InterventionResult& result) : result_(result), order_(result.methods.size()) {
        std::iota(order_.begin(), order_.end(), std::size_t{0});
        const auto rank = [&](std::size_t k) {
            const double ratio = result.methods[k].retained.ratio;
            return std::isfinite(ratio) ? ratio : -1.0;
        };
        std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) { return rank(a) > rank(b); });
        double least = 1.0, most = 1.0;
        const auto take = [&](double value) {
            if (!std::isfinite(value) || value < kLeastShownShare) return;
            least = std::min(least, value);
            most = std::max(most, value);
        };
        for (std::size_t k = 0; k < order_.size(); ++k) {
            take(result.methods[k].retained.ratio + standardErrorOf(result.methods[k].retained));
            take(result.methods[k].retained.ratio);
            take(gaussianOf(result, k).ratio);
            if (k < result.subsetControls.size())
                for (const double quantile : result.subsetControls[k].quantiles) take(quantile);
        }
        from_ = least / 1.5;
        to_ = most * 1.5;
    }

    Panel panel() const {
        Panel panel;
        panel.x.title = "<i>R</i><sub>S</sub>, log scale";
        panel.x.scale = AxisScale::Log;
        panel.x.format = TickFormat::Percent;
        panel.x.from = from_;
        panel.x.to = to_;
        panel.y.from = -0.5;
        panel.y.to = static_cast<double>(order_.size()) - 0.5;
        panel.y.grid = false;
        panel.marks.push_back(Rule{Rule::Direction::Vertical, 1.0, inkOf(Role::Secondary), true, "full error", true});
        for (std::size_t row = 0; row < order_.size(); ++row)
            addKernel(order_[row], static_cast<double>(order_.size() - 1 - row), panel);
        return panel;
    }

private:
    double shown(double value) const { return std::clamp(value, from_, to_); }

    void addSpan(double from, double to, double y, const Ink& ink, double widthPt, Panel& panel) const {
        if (!std::isfinite(from) || !std::isfinite(to)) return;
        Line line;
        line.points = {{shown(from), y}, {shown(to), y}};
        line.ink = ink;
        line.widthPt = widthPt;
        panel.marks.push_back(std::move(line));
    }

    void addKernel(std::size_t k, double y, Panel& panel) const {
        const RetainedMethod& method = result_.methods[k];
        panel.y.ticks.push_back(y);
        panel.y.tickLabels.push_back(kernelTitle(method.kernel));
        if (k < result_.subsetControls.size()) addSubsets(result_.subsetControls[k], y, panel);
        if (!std::isfinite(method.retained.ratio)) {
            panel.marks.push_back(
                Text{from_, y, "undefined (E_full = 0)", Text::Anchor::Left, inkOf(Role::Secondary), false});
            return;
        }
        const Hover hover{static_cast<int>(k), words(k)};
        const GaussianRatio gaussian = gaussianOf(result_, k);
        if (std::isfinite(gaussian.ratio)) {
            addSpan(gaussian.ratio, method.retained.ratio, y, kernelInk(method.kernel), 0.5, panel);
            addSpan(gaussian.ratio - gaussian.error, gaussian.ratio + gaussian.error, y, inkOf(Role::Text), 1.0, panel);
            Points open;
            open.shape = MarkerShape::Square;
            open.filled = false;
            open.points.push_back({shown(gaussian.ratio), y, inkOf(Role::Text), kGaussianSizePt, {}, hover});
            panel.marks.push_back(std::move(open));
        }
        const double error = standardErrorOf(method.retained);
        addSpan(method.retained.ratio - error, method.retained.ratio + error, y, kernelInk(method.kernel), 1.4, panel);
        Points filled;
        filled.points.push_back(
            {shown(method.retained.ratio), y, kernelInk(method.kernel), kPretrainedSizePt, {}, hover});
        panel.marks.push_back(std::move(filled));
    }

    void addSubsets(const SubsetControl& control, double y, Panel& panel) const {
        if (control.quantiles.size() < 5) return;
        addSpan(control.quantiles.front(), control.quantiles.back(), y, inkOf(Role::BulkKey), kSubsetsWidthPt, panel);
        if (!std::isfinite(control.quantiles[2])) return;
        Line median;
        median.points = {{shown(control.quantiles[2]), y - 0.25}, {shown(control.quantiles[2]), y + 0.25}};
        median.ink = inkOf(Role::Secondary);
        panel.marks.push_back(std::move(median));
    }

    std::string words(std::size_t k) const {
        const RetainedRatio& r = result_.methods[k].retained;
        std::string text = fmt::format("{}: R_S {}, complement {}", kernelTitle(result_.methods[k].kernel),
                                       percentText(r.ratio), percentText(r.ratioComplement));
        if (const double error = standardErrorOf(r); std::isfinite(error))
            text += fmt::format(", standard error {}", percentText(error));
        if (const GaussianRatio gaussian = gaussianOf(result_, k); std::isfinite(gaussian.ratio))
            text += fmt::format(", Gaussian {}", percentText(gaussian.ratio));
        if (k < result_.subsetControls.size()) {
            const SubsetControl& control = result_.subsetControls[k];
            text += fmt::format(", random subsets {}; {}", percentText(control.quantiles[2]),
                                probabilityText(control.p, control.atLeast, control.ratios.size()));
        }
        return text;
    }

    const InterventionResult& result_;
    std::vector<std::size_t> order_;
    double from_ = 0.1, to_ = 1.0;
};

}  // namespace

double standardErrorOf(const RetainedRatio& ratio) {
    std::vector<double> ratios;
    for (const RetainedCell& cell : ratio.cells)
        if (std::isfinite(cell.ratio())) ratios.push_back(cell.ratio());
    return standardDeviationOf(ratios) / std::sqrt(static_cast<double>(ratios.size()));
}

std::string probabilityText(double p, std::size_t atLeast, std::size_t draws) {
    if (!std::isfinite(p)) return "p is undefined";
    const std::string reached =
        atLeast == 0 ? fmt::format("no draw of {} reaches R_S", draws)
                     : fmt::format("{} of {} draws reach{} R_S", atLeast, draws, atLeast == 1 ? "es" : "");
    return fmt::format("p at most {}, {}", numberText(p), reached);
}

Figure retainedErrorFigure(const InterventionResult& result) {
    Figure figure;
    figure.name = "retained-error";
    figure.title = "Retained error";
    const std::size_t cells = result.methods.empty() ? 0 : result.methods.front().retained.cells.size();
    figure.caption = fmt::format(
        "R_S: error with the kernel on S only, over its full error; mean and standard error over {} cells of a layer "
        "and sequence. Filled: pretrained; open: Gaussian queries and keys; grey: middle 95 % of random subsets. "
        "{} of {} dimensions in S, by {}{}",
        cells, result.selected, result.dimensions, result.origin, extentText(result.provenance, 0));
    figure.warnings = result.warnings;
    figure.provenance = result.provenance;
    if (result.methods.empty()) {
        figure.panels.push_back(emptyPanel("no kernel was restricted"));
        return figure;
    }
    figure.heightMm = 20.0 + 7.0 * static_cast<double>(result.methods.size());
    figure.panels.push_back(RetainedRows(result).panel());
    return figure;
}

}  // namespace dimscope::analysis
