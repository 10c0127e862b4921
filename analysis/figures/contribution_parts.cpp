// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/figures/contribution_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/figures/figure_parts.h"

namespace dimscope::analysis {

Figure contributionFrame(const std::string& stem, const std::string& title, const std::string& what, LayerIndex layer,
                         HeadIndex head, const std::vector<Warning>& warnings, const Provenance& provenance) {
    Figure figure;
    figure.name = headStem(stem, layer, head);
    figure.title = title;
    figure.caption = fmt::format("{} · {}{}", what, placeText(layer, head), extentText(provenance, 0));
    figure.warnings = warnings;
    figure.provenance = provenance;
    return figure;
}

std::pair<std::string, std::string> partNames(const StabilityResult& result) {
    if (result.parts == "halves") return {"first half of the prompts", "second half"};
    return {"calibration prompts", "other prompts"};
}

std::string whyNoParts(const StabilityResult& result, const HeadStability& head) {
    if (!head.usable) return kNoProfileText;
    if (result.first.empty() || result.second.empty()) return "one prompt: there is nothing to compare it with";
    const auto positive = [](double chi) { return chi > 0.0; };
    if (std::none_of(head.chiFirst.begin(), head.chiFirst.end(), positive) ||
        std::none_of(head.chiSecond.begin(), head.chiSecond.end(), positive))
        return kNoContributionText;
    return {};
}

}  // namespace dimscope::analysis
