// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "analysis/figures/figure_parts.h"
#include "analysis/figures/intervention_figures.h"
#include "analysis/figures/kernel_parts.h"

namespace dimscope::analysis {
namespace {

constexpr double kPretrainedSizePt = 6.0, kGaussianSizePt = 5.5, kSubsetsHalfHeight = 0.22;
constexpr double kLeastShownShare = 1e-5;  // smaller ratios stand at the edge

class RetainedMarks {
public:
    explicit RetainedMarks(const InterventionResult& result) : rows_(retainedRows(result)), order_(rows_.size()) {
        std::iota(order_.begin(), order_.end(), std::size_t{0});
        const auto rank = [&](std::size_t k) { return std::isfinite(rows_[k].ratio) ? rows_[k].ratio : -1.0; };
        std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) { return rank(a) > rank(b); });
        double least = 1.0, most = 1.0;
        for (const RetainedRow& row : rows_)
            for (const double value : {row.ratio, row.ratio + row.error, row.gaussian, row.from, row.to}) {
                if (!std::isfinite(value) || value < kLeastShownShare) continue;
                least = std::min(least, value);
                most = std::max(most, value);
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

    void addMark(double ratio, double y, bool filled, double sizePt, std::size_t k, Panel& panel) const {
        Points points;
        points.filled = filled;
        points.ownFilling = true;
        points.points.push_back(
            {shown(ratio), y, kernelInk(rows_[k].kernel), sizePt, {}, {static_cast<int>(k), retainedText(rows_[k])}});
        panel.marks.push_back(std::move(points));
    }

    void addKernel(std::size_t k, double y, Panel& panel) const {
        const RetainedRow& row = rows_[k];
        const Ink ink = kernelInk(row.kernel);
        panel.y.ticks.push_back(y);
        panel.y.tickLabels.push_back(kernelTitle(row.kernel));
        addSubsets(row, y, panel);
        if (!std::isfinite(row.ratio)) {
            panel.marks.push_back(
                Text{from_, y, "undefined (E_full = 0)", Text::Anchor::Left, inkOf(Role::Secondary), false});
            return;
        }
        if (std::isfinite(row.gaussian)) {
            addSpan(row.gaussian, row.ratio, y, ink, 0.5, panel);
            addSpan(row.gaussian - row.gaussianError, row.gaussian + row.gaussianError, y, ink, 1.0, panel);
            addMark(row.gaussian, y, false, kGaussianSizePt, k, panel);
        }
        addSpan(row.ratio - row.error, row.ratio + row.error, y, ink, 1.4, panel);
        addMark(row.ratio, y, true, kPretrainedSizePt, k, panel);
    }

    void addSubsets(const RetainedRow& row, double y, Panel& panel) const {
        if (!std::isfinite(row.from) || !std::isfinite(row.to)) return;
        const double low = y - kSubsetsHalfHeight, high = y + kSubsetsHalfHeight;
        panel.marks.push_back(Ribbon{{{shown(row.from), low, high}, {shown(row.to), low, high}}, inkOf(Role::BulkKey)});
        if (!std::isfinite(row.median)) return;
        Line median;
        median.points = {{shown(row.median), low}, {shown(row.median), high}};
        median.ink = inkOf(Role::Secondary);
        panel.marks.push_back(std::move(median));
    }

    std::vector<RetainedRow> rows_;
    std::vector<std::size_t> order_;
    double from_ = 0.1, to_ = 1.0;
};

}  // namespace

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
    figure.panels.push_back(RetainedMarks(result).panel());
    return figure;
}

}  // namespace dimscope::analysis
