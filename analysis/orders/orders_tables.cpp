// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/orders/softmax_orders.h"
#include "analysis/table_rows.h"

namespace dimscope::analysis {
Table ordersTable(const OrdersResult& result) {
    Table table{.name = "softmax-orders",
                .caption =
                    "Zero-, first- and higher-order parts of softmax and what zero-sum attention expresses of it "
                    "(functional form, untrained), per head",
                .columns = {},
                .warnings = result.warnings,
                .provenance = result.provenance};
    table.columns = {plainColumn("layer", "Layer"),
                     plainColumn("head", "Head"),
                     plainColumn("energy_zero", "Weight energy, zero"),
                     plainColumn("energy_first", "first"),
                     plainColumn("energy_higher", "higher"),
                     plainColumn("energy_cross", "cross"),
                     plainColumn("output_zero", "Output energy, zero"),
                     plainColumn("output_first", "first"),
                     plainColumn("output_higher", "higher"),
                     plainColumn("output_cross", "cross"),
                     plainColumn("c_star", "c*"),
                     plainColumn("sigma1", "σ1"),
                     plainColumn("sigmah", "σh"),
                     percentColumn("zeros_sm", "RelMSE of ZeroS-SM"),
                     percentColumn("linear_zeros", "RelMSE of linear ZeroS"),
                     percentColumn("linear_zeros_free0", "with zero order"),
                     percentColumn("negative_share", "Negative weight")};
    for (const HeadOrders& h : result.heads)
        appendRow(table, {std::int64_t{h.layer.value}, std::int64_t{h.head.value}, h.energy.zero, h.energy.first,
                          h.energy.higher, h.energy.cross, h.output.zero, h.output.first, h.output.higher,
                          h.output.zeroFirst + h.output.zeroHigher + h.output.firstHigher, h.cStar,
                          h.zerosSm.gates.sigma1, h.zerosSm.gates.sigmah, h.zerosSm.relMse, h.linearZeros.relMse,
                          h.linearZerosFree.relMse, h.negativeShare});
    return table;
}

Table dilutionTable(const OrdersResult& result) {
    Table table{.name = "dilution",
                .caption = "How attention thins out with the number of keys, per head and query position",
                .columns = {},
                .warnings = result.warnings,
                .provenance = result.provenance};
    table.columns = {plainColumn("layer", "Layer"),
                     plainColumn("head", "Head"),
                     plainColumn("position", "Position"),
                     plainColumn("t", "Keys t"),
                     plainColumn("norm", "|y|"),
                     percentColumn("zero_share", "|y0|²/|y|²"),
                     plainColumn("effective_tokens", "Effective tokens"),
                     plainColumn("entropy", "Entropy / log t"),
                     plainColumn("zero_sum_norm", "|y − y0|")};
    for (const HeadOrders& h : result.heads)
        for (const DilutionPoint& p : h.dilution)
            appendRow(table, {std::int64_t{h.layer.value}, std::int64_t{h.head.value}, std::int64_t{p.position},
                              p.visible, p.norm, p.zeroShare, p.effectiveTokens, p.entropy, p.zeroSumNorm});
    return table;
}

}  // namespace dimscope::analysis
