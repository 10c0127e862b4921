// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>

#include "analysis/grouping.h"

namespace dimscope::analysis {

Table groupingTable(const GroupingResult& result) {
    Table table{.name = "groups",
                .caption = "Groups of dimensions by contribution; outliers are all groups but the bulk",
                .columns = {},
                .warnings = result.warnings,
                .provenance = result.provenance};
    table.columns = {{"layer", "Layer", "", {}, {}},
                     {"head", "Head", "", {}, {}},
                     {"groups", "Groups", "", {}, {}},
                     {"outliers", "Outlier dimensions", "", {}, {}},
                     {"count", "Outliers", "", {}, {}},
                     {"share", "Share of χ", "", NumberStyle::Percent, {}},
                     {"least_ratio", "Least ratio of cuts", "", {}, {}},
                     {"least_support", "Least support of cuts", "", NumberStyle::Percent, {}}};
    for (const HeadGrouping& head : result.heads) {
        Cell ratio, support;
        for (const int c : head.cuts) {
            const double r = head.ratio[static_cast<std::size_t>(c)], s = head.support[static_cast<std::size_t>(c)];
            ratio = std::holds_alternative<double>(ratio) ? std::min(std::get<double>(ratio), r) : r;
            support = std::holds_alternative<double>(support) ? std::min(std::get<double>(support), s) : s;
        }
        const Cell row[] = {std::int64_t{head.layer.value},
                            std::int64_t{head.head.value},
                            static_cast<std::int64_t>(head.groups.size()),
                            std::vector<std::int64_t>(head.outliers.begin(), head.outliers.end()),
                            static_cast<std::int64_t>(head.outliers.size()),
                            head.outlierShare(),
                            ratio,
                            support};
        for (std::size_t c = 0; c < table.columns.size(); ++c) table.columns[c].cells.push_back(row[c]);
    }
    return table;
}

Table cutsTable(const GroupingResult& result, const HeadGrouping& head) {
    Table table{.name = fmt::format("cuts-L{:02}-H{}", head.layer.value, head.head.value),
                .caption = fmt::format("Candidate cuts of layer {}, head {}", head.layer.value, head.head.value),
                .columns = {},
                .warnings = result.warnings,
                .provenance = result.provenance};
    table.columns = {{"cut", "cut", "", {}, {}},
                     {"below", "below", "", {}, {}},
                     {"above", "above", "", {}, {}},
                     {"ratio", "ratio ρ", "", {}, {}},
                     {"support", "support", "", NumberStyle::Percent, {}},
                     {"chosen", "chosen", "", {}, {}}};
    for (auto c = head.candidates.rbegin(); c != head.candidates.rend(); ++c) {
        const auto n = static_cast<std::size_t>(*c);
        const bool chosen = std::find(head.cuts.begin(), head.cuts.end(), *c) != head.cuts.end();
        const bool natural = std::find(head.naturalCuts.begin(), head.naturalCuts.end(), *c) != head.naturalCuts.end();
        const Cell row[] = {std::int64_t{*c},
                            std::int64_t{head.order[n]},
                            std::int64_t{head.order[n + 1]},
                            head.ratio[n],
                            head.support[n],
                            std::string(natural  ? "natural"
                                        : chosen ? "filled in"
                                                 : "")};
        for (std::size_t k = 0; k < table.columns.size(); ++k) table.columns[k].cells.push_back(row[k]);
    }
    return table;
}

}  // namespace dimscope::analysis
