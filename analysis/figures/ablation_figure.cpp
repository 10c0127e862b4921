// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/figures/fidelity_rows.h"
#include "analysis/figures/figure_parts.h"
#include "analysis/figures/orders_figures.h"

namespace dimscope::analysis {
namespace {

constexpr double kAblatedHeadSizePt = 2.5, kPooledAblationSizePt = 6.0;

const PooledAblation* pooledOverAll(const OrderAblations& result, const std::string& variant) {
    const auto found = std::find_if(result.pooled.begin(), result.pooled.end(), [&](const PooledAblation& pooled) {
        return !pooled.layer && pooled.variant == variant;
    });
    return found == result.pooled.end() ? nullptr : &*found;
}

/// Where the unchanged proxy stands, and where nothing does.
void addAblationRules(double baseline, Panel& panel) {
    const auto add = [&](double at, const char* label) {
        if (std::isfinite(at) && at >= panel.x.from && at <= panel.x.to)
            panel.marks.push_back(Rule{Rule::Direction::Vertical, at, inkOf(Role::Secondary), true, label, at < 1.0});
    };
    add(baseline, "unchanged");
    add(1.0, "zero");
}

}  // namespace

Figure ablationFigure(const OrderAblations& result) {
    Figure figure;
    figure.name = "orders-ablations";
    figure.title = "Linear ZeroS with one part changed";
    figure.caption = "RelMSE with fitted gates; small: single heads, large: pooled · functional form, untrained" +
                     extentText(result.provenance, result.prompts.size());
    figure.warnings = result.warnings;
    figure.provenance = result.provenance;
    if (std::none_of(result.heads.begin(), result.heads.end(), [](const HeadAblation& head) { return head.usable; })) {
        figure.panels.push_back(emptyPanel("no row sees more than one key"));
        return figure;
    }
    std::vector<std::string> titles;
    std::vector<double> values{1.0};
    for (const AblationVariant& variant : ablationVariants()) titles.push_back(variant.title);
    for (const HeadAblation& head : result.heads) values.push_back(head.relMse);
    FidelityRowsPanel rows(titles, values, "");
    double baseline = kNaN;
    for (std::size_t v = 0; v < ablationVariants().size(); ++v) {
        const AblationVariant& variant = ablationVariants()[v];
        const int key = static_cast<int>(v);
        for (const HeadAblation& head : result.heads)
            if (head.variant == variant.name && std::isfinite(head.relMse) && head.relMse > 0.0)
                rows.addPoint(
                    v, head.relMse, inkOf(Role::Secondary), kAblatedHeadSizePt,
                    {key, fmt::format("{}, {}: RelMSE {}, cosine {}", variant.title, placeText(head.layer, head.head),
                                      numberText(head.relMse), numberText(head.cosine))});
        const PooledAblation* pooled = pooledOverAll(result, variant.name);
        if (pooled == nullptr) continue;
        if (v == 0) baseline = pooled->relMse;
        rows.addPoint(v, pooled->relMse, inkOf(v == 0 ? Role::Text : Role::OutlierQuery), kPooledAblationSizePt,
                      {key, fmt::format("{}: pooled RelMSE {}, cosine {}; {}", variant.title,
                                        numberText(pooled->relMse), numberText(pooled->cosine), variant.change)});
    }
    Panel panel = rows.panel();
    addAblationRules(baseline, panel);
    figure.panels.push_back(std::move(panel));
    figure.heightMm = 14.0 + 5.0 * static_cast<double>(titles.size());
    return figure;
}

}  // namespace dimscope::analysis
