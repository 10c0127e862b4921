// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include "analysis/head_profile.h"

namespace dimscope::analysis {
namespace {

std::vector<int> ranksOf(const HeadProfile& head) {
    std::vector<int> rank(head.order.size());
    for (std::size_t n = 0; n < head.order.size(); ++n)
        rank[static_cast<std::size_t>(head.order[n])] = static_cast<int>(head.order.size() - n);
    return rank;
}

}  // namespace

Table profileTable(const ProfileResult& result) {
    Table table{.name = "profile",
                .caption = "Magnitudes and contributions per head and dimension; rank 1 contributes most",
                .columns = {},
                .warnings = result.warnings,
                .provenance = result.provenance};
    table.columns = {{"layer", "Layer", "", {}, {}},
                     {"head", "Head", "", {}, {}},
                     {"dim", "Dimension", "", {}, {}},
                     {"q_mean_abs", "mean |q|", "", {}, {}},
                     {"k_mean_abs", "mean |k|", "", {}, {}},
                     {"q_max_abs", "max |q|", "", {}, {}},
                     {"k_max_abs", "max |k|", "", {}, {}},
                     {"chi", "χ", "logit", {}, {}},
                     {"share", "Share of χ", "", NumberStyle::Percent, {}},
                     {"chi_eff", "Effective χ", "logit", {}, {}},
                     {"rank", "Rank", "", {}, {}}};
    for (const HeadProfile& head : result.heads) {
        const std::vector<int> rank = ranksOf(head);
        for (std::size_t r = 0; r < head.chi.size(); ++r) {
            const Cell row[] = {std::int64_t{head.layer.value},
                                std::int64_t{head.head.value},
                                static_cast<std::int64_t>(r),
                                head.qMeanAbs[r],
                                head.kMeanAbs[r],
                                head.qMaxAbs[r],
                                head.kMaxAbs[r],
                                head.chi[r],
                                head.share[r],
                                head.chiEffective[r],
                                std::int64_t{rank[r]}};
            for (std::size_t c = 0; c < table.columns.size(); ++c) table.columns[c].cells.push_back(row[c]);
        }
    }
    return table;
}

Table topDimensionsTable(const ProfileResult& result, const HeadProfile& head, const LayerInfo& layer) {
    Table table{
        .name = fmt::format("dimensions-L{:02}-H{}", head.layer.value, head.head.value),
        .caption = fmt::format("Dimensions of layer {}, head {} by contribution", head.layer.value, head.head.value),
        .columns = {},
        .warnings = result.warnings,
        .provenance = result.provenance};
    table.columns = {{"dim", "dim", "", {}, {}},
                     {"partner", "partner", "", {}, {}},
                     {"partner_rank", "its rank", "", {}, {}},
                     {"chi", "χ", "logit", {}, {}},
                     {"share", "share", "", NumberStyle::Percent, {}},
                     {"q_mean_abs", "|q|", "", {}, {}},
                     {"k_mean_abs", "|k|", "", {}, {}}};
    const std::vector<int> rank = ranksOf(head);
    for (auto dim = head.order.rbegin(); dim != head.order.rend(); ++dim) {
        const auto r = static_cast<std::size_t>(*dim);
        const int partner = ropePartner(*dim, layer);
        const Cell none = std::monostate{};
        const Cell row[] = {std::int64_t{*dim},
                            partner < 0 ? none : Cell(std::int64_t{partner}),
                            partner < 0 ? none : Cell(std::int64_t{rank[static_cast<std::size_t>(partner)]}),
                            head.chi[r],
                            head.share[r],
                            head.qMeanAbs[r],
                            head.kMeanAbs[r]};
        for (std::size_t c = 0; c < table.columns.size(); ++c) table.columns[c].cells.push_back(row[c]);
    }
    return table;
}

}  // namespace dimscope::analysis
