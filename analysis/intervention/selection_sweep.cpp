// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/intervention/selection_sweep.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/intervention/protocol.h"
#include "analysis/intervention/subset_selection.h"
#include "analysis/statistics.h"

namespace dimscope::analysis {
namespace {

constexpr double kAlphas[] = {0.125, 0.25, 0.5, 0.75};
constexpr double kTaus[] = {1.25, 1.5, 2.0};
constexpr double kGammas[] = {0.5, 0.7, 0.9};
constexpr SupportRule kRules[] = {SupportRule::Rank, SupportRule::Set, SupportRule::Fixed, SupportRule::Tolerance};

bool sameCuts(const GroupingParams& a, const GroupingParams& b) {
    return a.alpha == b.alpha && a.tau == b.tau && a.gamma == b.gamma && a.support == b.support;
}

/// The grid and the chosen setting, which stands last where the grid lacks it.
std::vector<GroupingParams> sweptSettings(const GroupingParams& chosen) {
    std::vector<GroupingParams> settings;
    for (const double alpha : kAlphas)
        for (const double tau : kTaus)
            for (const double gamma : kGammas)
                for (const SupportRule rule : kRules) {
                    settings.push_back(chosen);
                    settings.back().alpha = alpha;
                    settings.back().tau = tau;
                    settings.back().gamma = gamma;
                    settings.back().support = rule;
                }
    if (std::none_of(settings.begin(), settings.end(), [&](const auto& known) { return sameCuts(known, chosen); }))
        settings.push_back(chosen);
    return settings;
}

std::string settingName(const GroupingParams& setting, const GroupingParams& chosen) {
    std::string name;
    const auto add = [&](std::string_view word) { name += (name.empty() ? "" : " ") + std::string(word); };
    for (const Protocol& protocol : protocols())
        if (protocol.ofPaper && setting.alpha == protocol.alpha && setting.gamma == protocol.gamma &&
            setting.tau == protocol.tau && setting.support == SupportRule::Rank)
            add(protocol.name);
    if (sameCuts(setting, chosen)) add("chosen");
    return name;
}

}  // namespace

std::vector<SweepPoint> selectionSweep(const RetainedParams& params, const std::vector<RetainedMethod>& observed,
                                       const GroupingParams& chosen, const ProfileResult& profile, SubsetErrors& errors,
                                       const Pieces& pieces, const RunControl& control) {
    const std::vector<GroupingParams> settings = sweptSettings(chosen);
    std::vector<std::vector<HeadSubsets>> subsets;  // [setting][fold]
    SubsetErrors::Lists lists(errors.folds());
    for (std::size_t s = 0; s < settings.size(); ++s) {
        subsets.emplace_back();
        const auto groupings = foldGroupings(settings[s], profile, params.prompts, errors.folds() > 1,
                                             control.slice(0.0F, 0.5F).part(s, settings.size()));
        for (std::size_t fold = 0; fold < groupings.size(); ++fold) {
            subsets.back().push_back(chooseSubsets({}, groupings[fold]));
            for (const auto& [place, subset] : subsets.back().back()) lists[fold][place].push_back(subset);
        }
    }
    errors.evaluate("sweep", lists, control.slice(0.5F, 1.0F));
    std::vector<SweepPoint> points;
    if (!pieces.complete()) return points;
    for (std::size_t s = 0; s < settings.size(); ++s)
        for (std::size_t k = 0; k < params.kernels.size(); ++k) {
            SweepPoint point{settings[s].alpha,
                             settings[s].tau,
                             settings[s].gamma,
                             settings[s].support,
                             settingName(settings[s], chosen),
                             params.kernels[k]};
            for (const HeadSubsets& fold : subsets[s])
                point.selected += static_cast<double>(sizeOf(fold)) / static_cast<double>(subsets[s].size());
            std::vector<double> ratios;
            for (std::size_t n = 0; n < errors.layers().size(); ++n)
                for (std::size_t p = 0; p < params.prompts.size(); ++p) {
                    const RetainedCell& cell = observed[k].retained.cells[n * params.prompts.size() + p];
                    if (!(cell.eFull > 0.0)) continue;
                    const std::size_t fold = errors.folds() == 1 ? 0 : p;
                    std::vector<std::size_t> numbers;
                    for (const HeadIndex head : errors.headsOf(n)) {
                        const HeadPlace place{errors.layers()[n].layer, head};
                        numbers.push_back(errors.numberOf(fold, place, subsets[s][fold].at(place)));
                    }
                    ratios.push_back(errors.cellError(k, n, p, numbers) / cell.eFull);
                }
            point.ratio = meanOf(ratios);
            points.push_back(std::move(point));
        }
    return points;
}

}  // namespace dimscope::analysis
