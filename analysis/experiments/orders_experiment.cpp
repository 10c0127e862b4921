// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/experiments/experiment_list.h"
#include "analysis/figures/orders_figures.h"

namespace dimscope::analysis {
namespace {

ExperimentOutcome runOrders(const ExperimentRequest& request, HeadSource& source, kernels::Backend& /*in double*/,
                            const RunControl& control, const ExperimentLinks& /*none*/) {
    OrdersParams params;
    params.selection = request.selection;
    if (params.selection.prompts.empty()) params.selection.prompts = promptsOfSplits(source.info(), {"evaluation"});
    params.rows = static_cast<int>(ordersExperiment().value(request, "rows"));
    params.rowSeed = request.seed;
    const OrdersResult result = softmaxOrders(params, source, control);
    return {ordersFindings(result),
            {ordersMapFigure(result), zeroSumErrorFigure(result), dilutionFigure(result)},
            {ordersTable(result), dilutionTable(result)},
            result.warnings,
            result.provenance};
}

std::vector<std::string> ordersLimits(const DumpInfo& /*info*/) {
    return {"ZeroS as trained: its gates come from the block's input, fitted gates stand in their place"};
}

}  // namespace

Experiment ordersExperiment() {
    return {
        "orders",
        "Orders",
        "How much of softmax is a mean, a first order and higher orders, and what zero-sum attention expresses of it.",
        "<b>Orders</b> splits every softmax row into 1/<i>t</i>, the part that is linear in the logits, and the rest. "
        "The maps show their shares of the weights' energy, the first and higher orders at right angles, so that "
        "the three add up to 1.<br>"
        "<b>Dilution</b> shows what becomes of the output as more keys are visible: its length beside 1/√<i>t</i>, "
        "the share of the mean value, and over how many tokens the weights are spread.<br>"
        "<b>Zero-sum attention</b> is fitted to exact attention by gates per head; it tells what the functional "
        "form can express, not how a trained model performs.",
        {rowsField(32)},
        true,
        false,
        withoutValue,
        ordersLimits,
        runOrders};
}

}  // namespace dimscope::analysis
