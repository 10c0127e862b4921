// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include "analysis/contribution/concentration.h"
#include "analysis/statistics.h"
#include "analysis/table_rows.h"

namespace dimscope::analysis {
namespace {

Table emptyConcentrationTable(const ConcentrationResult& result, const char* name, const std::string& what) {
    return {.name = name,
            .caption = fmt::format("{}, against {} isotropic {}, {} {}", what, result.draws,
                                   result.draws == 1 ? "draw" : "draws", result.prompts.size(),
                                   result.prompts.size() == 1 ? "prompt" : "prompts"),
            .columns = {},
            .warnings = result.warnings,
            .provenance = result.provenance};
}

double curveAt(const std::vector<double>& curve, std::size_t n) { return n < curve.size() ? curve[n] : kNaN; }

}  // namespace

Table concentrationTable(const ConcentrationResult& result) {
    Table table = emptyConcentrationTable(result, "concentration",
                                          "Share of χ of the strongest dimensions and effective dimensions per head");
    table.columns = {plainColumn("layer", "Layer"),
                     plainColumn("head", "Head"),
                     percentColumn("top1", "Top 1"),
                     percentColumn("top5", "Top 5"),
                     percentColumn("top10", "Top 10"),
                     plainColumn("effective_dims", "Effective dimensions"),
                     percentColumn("gaussian_same", "Same five, isotropic"),
                     percentColumn("gaussian_own", "Its own five"),
                     percentColumn("gaussian_own_q05", "5 %"),
                     percentColumn("gaussian_own_q95", "95 %"),
                     plainColumn("gaussian_effective_dims", "Effective dimensions, isotropic"),
                     plainColumn("p", "p at most"),
                     plainColumn("strongest", "Strongest dimensions")};
    for (const HeadConcentration& head : result.heads) {
        const IsotropicShares& draws = head.isotropic;
        appendRow(table, {std::int64_t{head.layer.value}, std::int64_t{head.head.value}, head.top1, head.top5,
                          head.top10, head.effectiveDims, meanOf(draws.same), meanOf(draws.own),
                          quantileOf(draws.own, kDrawQuantiles.front()), quantileOf(draws.own, kDrawQuantiles.back()),
                          meanOf(draws.effectiveDims), draws.p,
                          std::vector<std::int64_t>(head.strongest.begin(), head.strongest.end())});
    }
    return table;
}

Table lorenzTable(const ConcentrationResult& result) {
    Table table = emptyConcentrationTable(result, "lorenz", "Share of χ of the n weakest dimensions per head");
    table.columns = {plainColumn("layer", "Layer"),
                     plainColumn("head", "Head"),
                     plainColumn("n", "Weakest dimensions"),
                     percentColumn("share", "Share of χ"),
                     percentColumn("gaussian", "Isotropic, mean"),
                     percentColumn("gaussian_from", "least"),
                     percentColumn("gaussian_to", "largest")};
    for (const HeadConcentration& head : result.heads)
        for (std::size_t n = 0; n < head.lorenz.size(); ++n)
            appendRow(table, {std::int64_t{head.layer.value}, std::int64_t{head.head.value},
                              static_cast<std::int64_t>(n), head.lorenz[n], curveAt(head.isotropic.lorenz, n),
                              curveAt(head.isotropic.lorenzFrom, n), curveAt(head.isotropic.lorenzTo, n)});
    return table;
}

}  // namespace dimscope::analysis
