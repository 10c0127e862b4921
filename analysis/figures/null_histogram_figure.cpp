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

constexpr int kLeastBins = 8, kMostBins = 40;
constexpr double kMostDecadesWithSteps = 2.3, kBarShare = 0.88;
constexpr double kRoomForWords = 1.3;  // two lines over the bars

/// Ratios as they stand on a logarithmic axis: bars do not follow one, so the axis counts log10 and names its ticks.
class LogHistogram {
public:
    LogHistogram(const std::vector<double>& ratios, double observed) {
        for (const double ratio : ratios)
            if (ratio > 0.0 && std::isfinite(ratio)) {
                logs_.push_back(std::log10(ratio));
                largest_ = std::max(largest_, ratio);
            }
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
    double largest() const { return largest_; }
    double width() const { return (most_ - least_) / static_cast<double>(counts_.size()); }

    Panel panel() const {
        Panel panel;
        panel.x.title = "<i>R</i> of the subset, log scale";
        panel.x.from = from_;
        panel.x.to = to_;
        addTicks(panel.x);
        panel.y.title = "draws per bin";
        panel.y.from = 0.0;
        panel.y.to = kRoomForWords * static_cast<double>(*std::max_element(counts_.begin(), counts_.end()));
        Bars bars;
        bars.width = kBarShare * width();
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
    /// 1, 2 and 5 times powers of ten, powers alone where there are many; the last one carries the sign.
    void addTicks(Axis& x) const {
        x.grid = false;
        for (int decade = static_cast<int>(std::floor(from_)); decade <= static_cast<int>(std::ceil(to_)); ++decade)
            for (const double step : {1.0, 2.0, 5.0}) {
                const double value = step * std::pow(10.0, decade);
                if (std::log10(value) < from_ || std::log10(value) > to_) continue;
                if (to_ - from_ > kMostDecadesWithSteps && step != 1.0) continue;
                x.ticks.push_back(std::log10(value));
                x.tickLabels.push_back(fmt::format("{:.12g}", 100.0 * value));
            }
        if (!x.tickLabels.empty()) x.tickLabels.back() += " %";
    }

    std::vector<double> logs_;
    double largest_ = 0.0, least_ = 0.0, most_ = 0.0, from_ = 0.0, to_ = 0.0;
    std::vector<std::size_t> counts_;
};

class NullHistogram {
public:
    NullHistogram(const SubsetControl& control, double observed)
        : control_(control), observed_(observed), histogram_(control.ratios, observed) {}

    Panel panel() const {
        if (histogram_.empty())
            return emptyPanel(control_.ratios.empty() ? "no random subset is finished"
                                                      : "no random subset makes an error");
        Panel panel = histogram_.panel();
        const bool lineAtRight = !(observed_ > 0.0) || std::log10(observed_) > 0.5 * (panel.x.from + panel.x.to);
        addWords(lineAtRight, panel);
        if (observed_ > 0.0) addObserved(lineAtRight, panel);
        addDistance(panel);
        return panel;
    }

private:
    /// What the draws are, in the corner away from the line.
    void addWords(bool lineAtRight, Panel& panel) const {
        const std::string reached = control_.atLeast == 0
                                        ? std::string("no draw reaches <i>R</i><sub>S</sub>")
                                        : fmt::format("{} of {} reach{} <i>R</i><sub>S</sub>", control_.atLeast,
                                                      control_.ratios.size(), control_.atLeast == 1 ? "es" : "");
        std::string words =
            fmt::format("median {}, largest {}", percentText(control_.quantiles[2]), percentText(histogram_.largest()));
        if (observed_ > 0.0 && control_.p < 0.001) words += fmt::format("\n{}: <i>p</i> < 0.001", reached);
        if (observed_ > 0.0 && control_.p >= 0.001)
            words += fmt::format("\n{}: <i>p</i> ≤ {}", reached, numberText(control_.p));
        panel.marks.push_back(Text{lineAtRight ? panel.x.from : panel.x.to, kWordsAt * panel.y.to, words,
                                   lineAtRight ? Text::Anchor::Left : Text::Anchor::Right, inkOf(Role::Text), false});
    }

    void addObserved(bool lineAtRight, Panel& panel) const {
        const double at = std::log10(observed_), apart = 0.02 * (panel.x.to - panel.x.from);
        const Text::Anchor anchor = lineAtRight ? Text::Anchor::Right : Text::Anchor::Left;
        const double x = lineAtRight ? at - apart : at + apart;
        panel.marks.push_back(Rule{Rule::Direction::Vertical, at, inkOf(Role::OutlierQuery), false, {}, false});
        panel.marks.push_back(Text{x, kWordsAt * panel.y.to,
                                   fmt::format("<i>R</i><sub>S</sub> = {}", percentText(observed_)), anchor,
                                   inkOf(Role::OutlierText), true});
        panel.marks.push_back(
            Text{x, kWordsAt * panel.y.to, "\nthe dimensions in <i>S</i>", anchor, inkOf(Role::Secondary), false});
    }

    /// How many times the largest draw R_S is, where none reaches it.
    void addDistance(Panel& panel) const {
        const double largest = histogram_.largest();
        if (!(observed_ > largest) || !(largest > 0.0) || control_.atLeast > 0) return;
        panel.marks.push_back(Span{std::log10(largest), std::log10(observed_), 0.05 * panel.y.to,
                                   fmt::format("× {}", numberText(observed_ / largest)), inkOf(Role::Secondary)});
    }

    static constexpr double kWordsAt = 0.955;

    const SubsetControl& control_;
    double observed_;
    LogHistogram histogram_;
};

/// The pool that subsets are drawn from, in words.
std::string poolText(const Provenance& provenance) {
    const auto* pool = recordedValue<std::string>(provenance.parameters, "pool");
    return pool && *pool == "bulk" ? "bulk " : "";
}

}  // namespace

Figure nullHistogramFigure(const InterventionResult& result, std::size_t method) {
    static const SubsetControl kNone{.kernel = {}, .ratios = {}, .quantiles = {}};
    const SubsetControl& control = method < result.subsetControls.size() ? result.subsetControls[method] : kNone;
    const std::string& kernel = result.methods[method].kernel;
    Figure figure;
    figure.name = "null-histogram-" + kernel;
    figure.title = "Random subsets";
    const std::size_t drawn = control.ratios.size();
    const std::string count =
        drawn < control.wanted ? fmt::format("{} of {}", drawn, control.wanted) : fmt::format("{}", drawn);
    figure.caption = fmt::format("{}, {} draws of |S| {}dimensions per head{}", kernelTitle(kernel), count,
                                 poolText(result.provenance), extentText(result.provenance, 0));
    figure.widthMm = 85.0;
    figure.heightMm = 55.0;
    figure.warnings = result.warnings;
    figure.provenance = result.provenance;
    figure.panels.push_back(NullHistogram(control, result.methods[method].retained.ratio).panel());
    return figure;
}

}  // namespace dimscope::analysis
