// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/figures/figure_parts.h"
#include "analysis/figures/head_numbers.h"
#include "analysis/figures/orders_figures.h"
#include "analysis/statistics.h"

namespace dimscope::analysis {
namespace {

double higherShare(const HeadOrders& head) { return head.energy.orthogonalHigher / head.energy.total; }

}  // namespace

std::vector<Finding> ordersFindings(const OrdersResult& result) {
    std::vector<Finding> findings;
    const auto say = [&findings](std::string text) { findings.push_back({std::move(text), {}, {}}); };
    const std::vector<double> higher = headNumbers(result.heads, higherShare);
    if (higher.empty()) return findings;
    say(fmt::format("Higher orders hold {} of the weights' energy in the median head.",
                    roundPercentText(medianOf(higher))));

    const HeadOrders* flattest = nullptr;
    for (const HeadOrders& head : result.heads)
        if (head.usable && (flattest == nullptr || higherShare(head) < higherShare(*flattest))) flattest = &head;
    say(fmt::format("Least in higher orders: {}, {}.", placeText(flattest->layer, flattest->head),
                    roundPercentText(higherShare(*flattest))));

    const std::vector<double> box = headNumbers(result.heads, [](const HeadOrders& h) { return h.zerosSm.relMse; });
    if (!box.empty()) say(fmt::format("ZeroS-SM errs by RelMSE {} in the median head.", numberText(medianOf(box))));
    const std::vector<double> linear =
        headNumbers(result.heads, [](const HeadOrders& h) { return h.linearZeros.relMse; });
    if (!linear.empty()) {
        const auto worse = std::count_if(linear.begin(), linear.end(), [](double error) { return error >= 1.0; });
        say(worse > 0
                ? fmt::format("The linear proxy is no better than zero on {} of {} heads.", worse, linear.size())
                : fmt::format("The linear proxy errs by RelMSE {} in the median head.", numberText(medianOf(linear))));
    }
    const std::vector<double> gates =
        headNumbers(result.heads, [](const HeadOrders& h) { return h.zerosSm.gates.sigma1; });
    const auto closed = std::count(gates.begin(), gates.end(), 0.0);
    if (closed > 0) say(fmt::format("{} of {} heads close the first-order gate.", closed, gates.size()));
    return findings;
}

std::vector<Finding> ablationFindings(const OrderAblations& result) {
    const PooledAblation *baseline = nullptr, *best = nullptr, *worst = nullptr;
    for (const PooledAblation& pooled : result.pooled) {
        if (pooled.layer || !std::isfinite(pooled.relMse)) continue;
        if (pooled.variant == "baseline") baseline = &pooled;
        if (pooled.variant == "baseline" || pooled.variant == "exact_layer_norm") continue;
        if (best == nullptr || pooled.relMse < best->relMse) best = &pooled;
        if (worst == nullptr || pooled.relMse > worst->relMse) worst = &pooled;
    }
    if (baseline == nullptr || best == nullptr) return {};
    const auto title = [](const PooledAblation& pooled) { return ablationVariant(pooled.variant).title; };
    return {{fmt::format("Of the linear proxy's RelMSE of {} one change makes {} at best ({}) and {} at worst ({}).",
                         numberText(baseline->relMse), numberText(best->relMse), title(*best),
                         numberText(worst->relMse), title(*worst)),
             {},
             {}}};
}

}  // namespace dimscope::analysis
