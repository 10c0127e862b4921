// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/figures/figure_parts.h"
#include "analysis/figures/intervention_figures.h"
#include "analysis/figures/kernel_parts.h"
#include "analysis/statistics.h"

namespace dimscope::analysis {
namespace {

constexpr double kInteraction = 0.1;  // of the full error: parts that do not add up

class InterventionWords {
public:
    explicit InterventionWords(const InterventionResult& result) : result_(result) {
        for (std::size_t k = 0; k < result.methods.size(); ++k)
            if (std::isfinite(result.methods[k].retained.ratio)) defined_.push_back(k);
    }

    std::vector<Finding> findings() {
        if (defined_.empty()) return {};
        addLargest();
        addSubsets();
        addGaussian();
        addLeast();
        addDose();
        addComplement();
        addWorseThanZero();
        if (found_.size() > 5) found_.resize(5);
        return std::move(found_);
    }

private:
    void add(const std::string& text, std::vector<std::string> kernels) {
        found_.push_back({text, {}, std::move(kernels)});
    }
    const std::string& nameOf(std::size_t k) const { return result_.methods[k].kernel; }
    std::string titleOf(std::size_t k) const { return kernelTitle(nameOf(k)); }
    double ratioOf(std::size_t k) const { return result_.methods[k].retained.ratio; }

    void addLargest() {
        const auto most = *std::max_element(defined_.begin(), defined_.end(),
                                            [&](std::size_t a, std::size_t b) { return ratioOf(a) < ratioOf(b); });
        add(fmt::format("[{}] on <i>S</i> alone makes {} of its full error.", titleOf(most),
                        roundPercentText(ratioOf(most))),
            {nameOf(most)});
    }

    void addLeast() {
        const auto least = *std::min_element(defined_.begin(), defined_.end(),
                                             [&](std::size_t a, std::size_t b) { return ratioOf(a) < ratioOf(b); });
        if (defined_.size() > 1)
            add(fmt::format("[{}] makes least there: {}.", titleOf(least), roundPercentText(ratioOf(least))),
                {nameOf(least)});
    }

    void addSubsets() {
        const SubsetControl* worst = nullptr;
        double largest = 0.0;
        for (const SubsetControl& control : result_.subsetControls) {
            if (!std::isfinite(control.p)) continue;
            if (!worst || control.p > worst->p) worst = &control;
            for (const double ratio : control.ratios)
                if (std::isfinite(ratio)) largest = std::max(largest, ratio);
        }
        if (!worst) return;
        const std::size_t draws = worst->ratios.size();
        if (worst->atLeast == 0)
            add(fmt::format("No random subset of {}{} reaches <i>R</i><sub>S</sub>: at most {}.", draws,
                            worst->wanted > draws ? " so far" : "", roundPercentText(largest)),
                {});
        else
            add(fmt::format("{} of {} random subsets{} reach <i>R</i><sub>S</sub> of [{}]: p at most {}.",
                            worst->atLeast, draws, worst->wanted > draws ? " so far" : "", kernelTitle(worst->kernel),
                            numberText(worst->p)),
                {worst->kernel});
    }

    void addGaussian() {
        for (const ControlOutcome& outcome : result_.controls) {
            if (outcome.rung != ControlRung::Gaussian) continue;
            std::vector<std::string> above, aboveTitles;
            double largest = 0.0;
            for (const std::size_t k : defined_) {
                std::vector<double> ratios;
                for (const ControlDraw& draw : outcome.draws) ratios.push_back(draw.own[k].retained.ratio);
                const double ratio = meanOf(ratios);
                if (!std::isfinite(ratio)) continue;
                largest = std::max(largest, ratio);
                if (ratio < ratioOf(k)) continue;
                above.push_back(nameOf(k));
                aboveTitles.push_back(fmt::format("{} {}", titleOf(k), roundPercentText(ratio)));
            }
            if (above.empty())
                add(fmt::format("Gaussian <i>q</i>, <i>k</i> make every <i>R</i><sub>S</sub> smaller: at most {}.",
                                roundPercentText(largest)),
                    {});
            else
                add(fmt::format("Gaussian <i>q</i>, <i>k</i>: no smaller <i>R</i><sub>S</sub> for [{}].",
                                wordList(aboveTitles)),
                    above);
        }
    }

    /// The bulk alone beside S alone: neither says much without the other.
    void addComplement() {
        const std::size_t* most = nullptr;
        const auto remainder = [&](std::size_t k) {
            return std::abs(1.0 - ratioOf(k) - result_.methods[k].retained.ratioComplement);
        };
        for (const std::size_t& k : defined_)
            if (std::isfinite(remainder(k)) && (!most || remainder(k) > remainder(*most))) most = &k;
        if (!most || remainder(*most) < kInteraction) return;
        add(fmt::format("[{}]: <i>S</i> alone {}, the rest alone {}.", titleOf(*most), roundPercentText(ratioOf(*most)),
                        roundPercentText(result_.methods[*most].retained.ratioComplement)),
            {nameOf(*most)});
    }

    void addDose() {
        const DosePoint* peak = nullptr;
        for (const DosePoint& point : result_.dose)
            if (!point.random && std::isfinite(point.ratio) && (!peak || point.ratio > peak->ratio)) peak = &point;
        if (!peak || peak->ratio <= 1.0 + kInteraction) return;
        add(fmt::format("Dose: [{}] peaks at {} dimension{}, {}.", kernelTitle(peak->kernel), peak->dimensions,
                        peak->dimensions == 1 ? "" : "s", roundPercentText(peak->ratio)),
            {peak->kernel});
    }

    void addWorseThanZero() {
        std::vector<std::string> worse;
        for (const RetainedMethod& method : result_.methods) {
            double error = 0.0, energy = 0.0;
            for (const RetainedCell& cell : method.retained.cells) {
                error += cell.eFull;
                energy += cell.energy;
            }
            if (error >= energy && energy > 0.0) worse.push_back(method.kernel);
        }
        if (worse.empty()) return;
        add(fmt::format("[{} of {}] kernels err by more than the output.", worse.size(), result_.methods.size()),
            worse);
    }

    const InterventionResult& result_;
    std::vector<std::size_t> defined_;  // with a ratio
    std::vector<Finding> found_;
};

}  // namespace

std::vector<Finding> interventionFindings(const InterventionResult& result) {
    return InterventionWords(result).findings();
}

}  // namespace dimscope::analysis
