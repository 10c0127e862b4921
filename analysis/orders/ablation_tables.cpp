// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include "analysis/orders/order_ablations.h"
#include "analysis/table_rows.h"

namespace dimscope::analysis {
namespace {

/// A gate where all rows share it; empty where they do not, or where there is none.
Cell sharedGate(const HeadAblation& ablation, double ZeroGates::*gate) {
    return ablation.gates.size() == 1 ? Cell(ablation.gates.front().gates.*gate) : Cell(std::monostate{});
}

}  // namespace

Table ablationTable(const OrderAblations& result) {
    Table table{.name = "orders-ablations",
                .caption =
                    "Linear zero-sum attention with one part changed at a time, fitted to exact attention per "
                    "head and pooled (functional form, untrained)",
                .columns = {},
                .warnings = result.warnings,
                .provenance = result.provenance};
    table.columns = {plainColumn("layer", "Layer"),      plainColumn("variant", "Variant"),
                     percentColumn("rel_mse", "RelMSE"), plainColumn("cosine", "Cosine"),
                     plainColumn("heads", "Heads"),      plainColumn("change", "Changed")};
    for (const PooledAblation& p : result.pooled)
        appendRow(table, {p.layer ? Cell(std::to_string(p.layer->value)) : Cell(std::string("all")), p.variant,
                          p.relMse, p.cosine, std::int64_t{p.heads}, ablationVariant(p.variant).change});
    return table;
}

Table headAblationTable(const OrderAblations& result) {
    Table table{.name = "orders-ablations-heads",
                .caption =
                    "Linear zero-sum attention with one part changed at a time, fitted to exact attention, per "
                    "head (functional form, untrained)",
                .columns = {},
                .warnings = result.warnings,
                .provenance = result.provenance};
    table.columns = {plainColumn("layer", "Layer"),      plainColumn("head", "Head"),
                     plainColumn("variant", "Variant"),  percentColumn("rel_mse", "RelMSE"),
                     plainColumn("cosine", "Cosine"),    plainColumn("sigma0", "σ0"),
                     plainColumn("sigma1", "σ1"),        plainColumn("sigmah", "σh"),
                     plainColumn("bands", "Gate bands"), plainColumn("scale", "Factor behind LayerNorm"),
                     plainColumn("rows", "Rows")};
    for (const HeadAblation& h : result.heads)
        appendRow(table, {std::int64_t{h.layer.value}, std::int64_t{h.head.value}, h.variant, h.relMse, h.cosine,
                          sharedGate(h, &ZeroGates::sigma0), sharedGate(h, &ZeroGates::sigma1),
                          sharedGate(h, &ZeroGates::sigmah), static_cast<std::int64_t>(h.gates.size()),
                          std::isfinite(h.scale) ? Cell(h.scale) : Cell(std::monostate{}), std::int64_t{h.rows}});
    return table;
}

}  // namespace dimscope::analysis
