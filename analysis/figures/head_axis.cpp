// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/figures/head_axis.h"

#include <fmt/format.h>

#include "analysis/figures/figure_parts.h"

namespace dimscope::analysis {
namespace {

using HeadPlaces = std::vector<std::pair<LayerIndex, HeadIndex>>;

void addHeadTicks(const HeadPlaces& heads, Panel& panel) {
    for (int tick : countTicks(static_cast<int>(heads.size()), 16)) {
        panel.x.ticks.push_back(tick);
        panel.x.tickLabels.push_back(std::to_string(heads[static_cast<std::size_t>(tick)].second.value));
    }
}

void addLayerTicks(const HeadPlaces& heads, Panel& panel) {
    std::vector<std::size_t> firsts;
    for (std::size_t i = 0; i < heads.size(); ++i)
        if (i == 0 || heads[i].first != heads[i - 1].first) firsts.push_back(i);
    firsts.push_back(heads.size());
    const std::vector<int> shown = countTicks(static_cast<int>(firsts.size()) - 1, 16);
    for (std::size_t l = 0; l + 1 < firsts.size(); ++l) {
        if (l > 0)
            panel.marks.push_back(Rule{Rule::Direction::Vertical,
                                       static_cast<double>(firsts[l]) - 0.5,
                                       inkOf(Role::Secondary),
                                       false,
                                       {},
                                       false});
        if (!contains(shown, static_cast<int>(l))) continue;
        panel.x.ticks.push_back(0.5 * static_cast<double>(firsts[l] + firsts[l + 1] - 1));
        panel.x.tickLabels.push_back(fmt::format("L{}", heads[firsts[l]].first.value));
    }
}

}  // namespace

void addHeadAxis(const HeadPlaces& heads, Panel& panel) {
    const bool oneLayer = heads.front().first == heads.back().first;
    panel.x.title = oneLayer ? "head" : "heads, layer after layer";
    panel.x.from = -0.5;
    panel.x.to = static_cast<double>(heads.size()) - 0.5;
    panel.x.grid = false;
    (oneLayer ? addHeadTicks : addLayerTicks)(heads, panel);
}

}  // namespace dimscope::analysis
