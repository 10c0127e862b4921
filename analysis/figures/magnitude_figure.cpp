// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>

#include "analysis/figures/dimension_axis.h"
#include "analysis/figures/figure_parts.h"
#include "analysis/figures/profile_figures.h"

namespace dimscope::analysis {
namespace {

// What the two sides of the figure show; q stands upwards (sign 1), k downwards (sign -1).
struct Side {
    const std::vector<double>& values;       // (head_dim)
    const kernels::Matrix<double>* prompts;  // (prompts, head_dim); null: no whiskers
    double sign;

    double at(int r) const { return values[static_cast<std::size_t>(r)]; }
};

class Magnitudes {
public:
    Magnitudes(const HeadProfile& head, const LayerInfo& layer, const HeadGrouping* grouping,
               const FigureOptions& options)
        : options_(options),
          axis_(static_cast<int>(head.chi.size()), layer, options.foldPairs),
          q_{options.maximum ? head.qMaxAbs : head.qMeanAbs, options.maximum ? nullptr : &head.qMeanAbsPrompts, 1.0},
          k_{options.maximum ? head.kMaxAbs : head.kMeanAbs, options.maximum ? nullptr : &head.kMeanAbsPrompts, -1.0},
          statistic_(options.maximum ? "max" : "mean"),
          marked_(markedDimensions(head, grouping)),
          labelled_(strongest(head, 5)) {
        for (int r : longest(3))
            if (!contains(labelled_, r)) labelled_.push_back(r);
    }

    Panel panel() const {
        Panel panel;
        panel.x = axis_.axis();
        panel.y = valueAxis();
        axis_.addBands(options_.brushed, panel);
        axis_.addHalves(true, panel);
        panel.marks.push_back(bars(q_, k_));
        panel.marks.push_back(bars(k_, q_));
        panel.marks.push_back(Rule{Rule::Direction::Horizontal, 0.0, inkOf(Role::Text), false, {}, false});
        return panel;
    }

private:
    // The n dimensions with the longest bars: a long bar without its number would be a riddle even where the other
    // side is so short that the contribution is small.
    std::vector<int> longest(std::size_t n) const {
        std::vector<int> dims;
        for (int r = 0; r < axis_.headDim(); ++r)
            if (std::max(q_.at(r), k_.at(r)) > 0.0) dims.push_back(r);
        std::stable_sort(dims.begin(), dims.end(),
                         [&](int a, int b) { return std::max(q_.at(a), k_.at(a)) > std::max(q_.at(b), k_.at(b)); });
        if (dims.size() > n) dims.resize(n);
        return dims;
    }

    Axis valueAxis() const {
        const double up = reach(q_), down = reach(k_);
        const double room = 0.1 * (up + down);  // for the numbers at the bars' ends
        Axis axis;
        axis.title = fmt::format("← {0} |<i>k</i>| · {0} |<i>q</i>| →", statistic_);
        axis.from = room > 0.0 ? -down - room : -1.0;
        axis.to = room > 0.0 ? up + room : 1.0;
        axis.absoluteLabels = true;
        return axis;
    }

    double reach(const Side& side) const {
        double most = 0.0;
        for (int r = 0; r < axis_.headDim(); ++r) {
            most = std::max(most, side.at(r));
            if (const auto range = spread(side, r)) most = std::max(most, range->second);
        }
        return most;
    }

    static std::optional<std::pair<double, double>> spread(const Side& side, int r) {
        return side.prompts ? promptRange(*side.prompts, r) : std::nullopt;
    }

    Bars bars(const Side& side, const Side& other) const {
        Bars bars;
        for (int r = 0; r < axis_.headDim(); ++r) {
            Bars::Bar bar;
            bar.x = axis_.position(r);
            bar.top = side.sign * side.at(r);
            bar.ink = dimensionInk(r, contains(marked_, r), side.sign < 0, axis_, options_);
            if (const auto range = spread(side, r)) {
                bar.whiskerFrom = side.sign * range->first;
                bar.whiskerTo = side.sign * range->second;
            }
            // A dimension is named once, at its longer bar.
            const bool longer = side.at(r) > other.at(r) || (side.at(r) == other.at(r) && side.sign > 0);
            if (longer && contains(labelled_, r)) bar.label = std::to_string(r);
            bar.hover = {r, hoverText(r)};
            bars.bars.push_back(std::move(bar));
        }
        return bars;
    }

    std::string hoverText(int r) const {
        std::string text =
            fmt::format("dim {0}: {1} |q| {2}, {1} |k| {3}", r, statistic_, numberText(q_.at(r)), numberText(k_.at(r)));
        if (const int partner = axis_.partner(r); partner >= 0) text += fmt::format(", partner {}", partner);
        return text;
    }

    const FigureOptions& options_;
    DimensionAxis axis_;
    Side q_, k_;
    std::string statistic_;
    std::vector<int> marked_, labelled_;
};

}  // namespace

Figure magnitudeFigure(const ProfileResult& result, const HeadProfile& head, const LayerInfo& layer,
                       const HeadGrouping* grouping, const FigureOptions& options) {
    std::string what =
        options.maximum ? "largest |q| upwards, largest |k| downwards" : "mean |q| upwards, mean |k| downwards";
    if (!options.maximum && result.prompts.size() > 1)
        what += fmt::format("; whiskers: range over {} prompts", result.prompts.size());
    Figure figure = headFigure("magnitude", "Magnitude per dimension", what, result, head);
    figure.heightMm = 62.0;
    figure.panels.push_back(head.usable() ? Magnitudes(head, layer, grouping, options).panel()
                                          : emptyPanel(nonFiniteText(head)));
    return figure;
}

}  // namespace dimscope::analysis
