// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/experiments/experiment_list.h"
#include "analysis/figures/orders_figures.h"
#include "analysis/orders/hull_distance.h"
#include "analysis/warning_list.h"

namespace dimscope::analysis {
namespace {

using Kind = ExperimentField::Kind;

void addAblations(const OrdersParams& params, HeadSource& source, const RunControl& control, ExperimentOutcome& found) {
    const OrderAblations ablations = orderAblations(params, source, control);
    for (Finding& finding : ablationFindings(ablations)) found.findings.push_back(std::move(finding));
    found.figures.push_back(ablationFigure(ablations));
    found.tables.push_back(ablationTable(ablations));
    found.tables.push_back(headAblationTable(ablations));
    addOnce(ablations.warnings, found.warnings);
}

/// Two kernels with negative weights beside two without.
void addHulls(const ExperimentRequest& request, const OrdersParams& orders, HeadSource& source,
              kernels::Backend& backend, const RunControl& control, ExperimentOutcome& found) {
    HullParams params;
    params.selection = orders.selection;
    params.kernels = {"softmax", "elu", "zeros_sm", "linear_zeros"};
    params.rows = static_cast<int>(ordersExperiment().value(request, "hull_rows"));
    params.rowSeed = request.seed;
    if (params.rows == 0) return;
    const HullResult hulls = hullDistances(params, KernelFactory(request.settings), source, backend, control, true);
    found.tables.push_back(hullTable(hulls));
    addOnce(hulls.warnings, found.warnings);
}

ExperimentOutcome runOrders(const ExperimentRequest& request, HeadSource& source, kernels::Backend& backend,
                            const RunControl& control, const ExperimentLinks& /*none*/) {
    const bool ablations = ordersExperiment().value(request, "ablations") != 0.0;
    OrdersParams params;
    params.selection = request.selection;
    if (params.selection.prompts.empty()) params.selection.prompts = promptsOfSplits(source.info(), {"evaluation"});
    params.rows = static_cast<int>(ordersExperiment().value(request, "rows"));
    params.rowSeed = request.seed;
    const OrdersResult result = softmaxOrders(params, source, control.slice(0.0F, 0.4F));
    ExperimentOutcome found{ordersFindings(result),
                            {ordersMapFigure(result), zeroSumErrorFigure(result), dilutionFigure(result)},
                            {ordersTable(result), dilutionTable(result)},
                            result.warnings,
                            result.provenance};
    if (ablations) addAblations(params, source, control.slice(0.4F, 0.7F), found);
    addHulls(request, params, source, backend, control.slice(0.7F, 1.0F), found);
    return found;
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
        "form can express, not how a trained model performs.<br>"
        "<b>Ablations</b> change one part of linear zero-sum attention at a time; gates and factors are fitted anew. "
        "The table of <b>hull</b> distances says how far outputs leave what weights of one sign can reach.",
        {rowsField(32),
         {"ablations", "Ablations", "Also linear ZeroS with one part changed at a time", Kind::Switch, 0.0, 1.0, 1.0},
         {"hull_rows", "Hull rows",
          "Rows per prompt whose outputs are measured against the convex hull of the values they see, 0 = none, "
          "default 8",
          Kind::Integer, 0.0, 1e6, 8.0}},
        true,
        false,
        withoutValue,
        ordersLimits,
        runOrders};
}

}  // namespace dimscope::analysis
