// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/orders/order_heads.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/head_loader.h"
#include "analysis/row_sampling.h"
#include "kernels/error.h"

namespace dimscope::analysis {

OrderHeads orderHeads(const OrdersParams& params, HeadSource& source, std::vector<Warning>& warnings) {
    const std::vector<LayerInfo> layers = selectedLayers(params.selection, source.info());
    OrderHeads chosen;
    chosen.prompts = selectedPrompts(params.selection, source.info());
    chosen.length = selectedLength(params.selection, layers.front());
    for (const LayerInfo& layer : layers)
        chosen.length = std::min(chosen.length, selectedLength(params.selection, layer));
    chosen.positions =
        chosenRows(params.positions, chosen.prompts, source, chosen.length, params.rows, params.rowSeed, warnings);
    for (const LayerInfo& layer : layers) {
        if (!layer.hasValue)
            throw kernels::FormatError({source.info().path, fmt::format("/layers/{:02}", layer.layer.value),
                                        "there is no v, so outputs cannot be split", "dump v beside q and k"});
        if (layer.hasSink)
            warnings.push_back({"sink", fmt::format("layer {}", layer.layer.value),
                                "the sink's share of the weights is left out of the split"});
        for (const HeadIndex head : selectedHeads(params.selection, layer)) chosen.heads.emplace_back(layer, head);
    }
    return chosen;
}

void describeOrders(const OrdersParams& params, const OrderHeads& heads, Provenance& provenance) {
    provenance.parameters = {{"rows", static_cast<std::int64_t>(heads.positions.front().size())},
                             {"positions", std::string(params.positions.empty() ? "drawn" : "given")},
                             {"form", std::string("functional form, untrained")}};
}

bool visitOrderRows(const OrderHeads& heads, std::size_t head, HeadSource& source, std::vector<Warning>& warnings,
                    const RunControl& control,
                    const std::function<void(const OrderRows& rows, Index position, const OrderRow& row)>& visit) {
    const auto& [layer, index] = heads.heads[head];
    for (std::size_t p = 0; p < heads.prompts.size(); ++p) {
        HeadLoader loader(source, layer, heads.prompts[p], heads.length, true);
        const kernels::HeadInputs inputs = loader.inputs(index, control);
        if (loader.nonFinite(index) > 0) {
            warnings.push_back(loader.nonFiniteWarning(index));
            return false;
        }
        const PromptTensors tensors(inputs);
        const OrderRows rows(tensors);
        OrderRow row;
        for (const Index position : heads.positions[p]) {
            control.throwIfCancelled();
            if (rows.softmaxRow(position, row)) visit(rows, position, row);
        }
    }
    return true;
}

}  // namespace dimscope::analysis
