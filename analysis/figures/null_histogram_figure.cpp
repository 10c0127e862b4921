// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/figures/figure_parts.h"
#include "analysis/figures/intervention_figures.h"
#include "analysis/figures/kernel_parts.h"

namespace dimscope::analysis {
namespace {

constexpr int kLeastBins = 8, kMostBins = 40;

/// Ratios as they stand on a logarithmic axis: bars do not follow one, so the axis counts log10 and names its ticks.
class LogHistogram {
public:
    LogHistogram(const std::vector<double>& ratios, double observed) {
        for (const double ratio : ratios)
            if (ratio > 0.0 && std::isfinite(ratio)) logs_.push_back(std::log10(ratio));
        if (logs_.empty()) return;
        least_ = *std::min_element(logs_.begin(), logs_.end());
        most_ = *std::max_element(logs_.begin(), logs_.end());
        if (most_ - least_ < 1e-6) {
            least_ -= 0.05;
            most_ += 0.05;
        }
        const auto bins = static_cast<std::size_t>(
            std::clamp(static_cast<int>(std::sqrt(static_cast<double>(logs_.size()))), kLeastBins, kMostBins));
        counts_.assign(bins, 0);
        for (const double log : logs_)
            ++counts_[std::min(bins - 1, static_cast<std::size_t>((log - least_) / width()))];
        from_ = least_ - 0.1;
        to_ = most_ + 0.1;
        if (observed > 0.0) {
            from_ = std::min(from_, std::log10(observed) - 0.1);
            to_ = std::max(to_, std::log10(observed) + 0.1);
        }
    }
    bool empty() const { return logs_.empty(); }
    double width() const { return (most_ - least_) / static_cast<double>(counts_.size()); }

    Panel panel() const {
        Panel panel;
        panel.x.title = "<i>R</i> of the subset, log scale";
        panel.x.from = from_;
        panel.x.to = to_;
        for (int decade = static_cast<int>(std::floor(from_)); decade <= static_cast<int>(std::ceil(to_)); ++decade)
            for (const double step : {1.0, 2.0, 5.0}) {
                const double value = step * std::pow(10.0, decade);
                if (std::log10(value) < from_ || std::log10(value) > to_) continue;
                if (to_ - from_ > 2.0 && step != 1.0) continue;
                panel.x.ticks.push_back(std::log10(value));
                panel.x.tickLabels.push_back(percentText(value));
            }
        panel.y.title = "draws per bin";
        panel.y.from = 0.0;
        panel.y.to = 1.15 * static_cast<double>(*std::max_element(counts_.begin(), counts_.end()));
        Bars bars;
        bars.width = width();
        for (std::size_t n = 0; n < counts_.size(); ++n) {
            const double left = least_ + static_cast<double>(n) * width();
            bars.bars.push_back(
                {left + 0.5 * width(),
                 0.0,
                 static_cast<double>(counts_[n]),
                 inkOf(Role::BulkQuery),
                 {},
                 {},
                 {},
                 {-1, fmt::format("{} draws from {} to {}", counts_[n], percentText(std::pow(10.0, left)),
                                  percentText(std::pow(10.0, left + width())))}});
        }
        panel.marks.push_back(std::move(bars));
        return panel;
    }

private:
    std::vector<double> logs_;
    double least_ = 0.0, most_ = 0.0, from_ = 0.0, to_ = 0.0;
    std::vector<std::size_t> counts_;
};

Figure histogramOf(const std::string& kernel, const std::vector<double>& ratios, double observed, double p,
                   std::size_t wanted, const Provenance& provenance) {
    Figure figure;
    figure.name = "null-histogram-" + kernel;
    figure.title = "Random subsets";
    const std::string count =
        ratios.size() < wanted ? fmt::format("{} of {}", ratios.size(), wanted) : fmt::format("{}", ratios.size());
    figure.caption = fmt::format("{}, {} draws of |S| dimensions per head; line: the selected dimensions{}",
                                 kernelTitle(kernel), count, extentText(provenance, 0));
    figure.widthMm = 85.0;
    figure.heightMm = 55.0;
    figure.provenance = provenance;
    const LogHistogram histogram(ratios, observed);
    if (histogram.empty()) {
        figure.panels.push_back(emptyPanel("no random subset is finished"));
        return figure;
    }
    Panel panel = histogram.panel();
    const auto atLeast = static_cast<std::size_t>(
        std::count_if(ratios.begin(), ratios.end(), [&](double ratio) { return ratio >= observed; }));
    panel.note = probabilityText(p, atLeast, ratios.size());
    if (observed > 0.0)
        panel.marks.push_back(Rule{Rule::Direction::Vertical, std::log10(observed), inkOf(Role::OutlierQuery), false,
                                   fmt::format("<i>R</i><sub>S</sub> = {}", percentText(observed)), true});
    figure.panels.push_back(std::move(panel));
    return figure;
}

}  // namespace

Figure nullHistogramFigure(const SubsetControl& control, double observed, const Provenance& provenance) {
    return histogramOf(control.kernel, control.ratios, observed, control.p, control.ratios.size(), provenance);
}

Figure nullHistogramFigure(const ReplicateSnapshot& snapshot, std::size_t kernel, const Provenance& provenance) {
    return histogramOf(snapshot.kernels[kernel], snapshot.ratios[kernel], snapshot.observed[kernel], snapshot.p[kernel],
                       static_cast<std::size_t>(snapshot.replicates), provenance);
}

}  // namespace dimscope::analysis
