// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/orders/softmax_orders.h"
#include "app/cli/inputs.h"
#include "app/cli/lists.h"
#include "app/cli/text_table.h"
#include "app/cli/verbs.h"

namespace dimscope::app {
namespace {

using analysis::HeadOrders;
using analysis::NumberStyle;

void addOrdersOptions(CLI::App& verb, Options& options) {
    addFileOption(verb, options);
    addSelectionOptions(verb, options);
    addRowOptions(verb, options);
    addParamsOption(verb, options, "/positions");
    addBackendOptions(verb, options);
    addOutOption(verb, options);
    addJsonOption(verb, options);
}

Json fitJson(const analysis::OrderFit& fit) {
    return {{"sigma0", numberJson(fit.gates.sigma0)},
            {"sigma1", numberJson(fit.gates.sigma1)},
            {"sigmah", numberJson(fit.gates.sigmah)},
            {"rel_mse", numberJson(fit.relMse)},
            {"cosine", numberJson(fit.cosine)}};
}

Json headJsonOf(const HeadOrders& head) {
    const analysis::WeightEnergy& e = head.energy;
    const analysis::OutputEnergy& o = head.output;
    return {{"layer", head.layer.value},
            {"head", head.head.value},
            {"energy",
             {{"zero", numberJson(e.zero)},
              {"first", numberJson(e.first)},
              {"higher", numberJson(e.higher)},
              {"cross", numberJson(e.cross)},
              {"orthogonal_first", numberJson(e.orthogonalFirst)},
              {"orthogonal_higher", numberJson(e.orthogonalHigher)},
              {"total", numberJson(e.total)}}},
            {"output_energy",
             {{"zero", numberJson(o.zero)},
              {"first", numberJson(o.first)},
              {"higher", numberJson(o.higher)},
              {"cross",
               {{"zero_first", numberJson(o.zeroFirst)},
                {"zero_higher", numberJson(o.zeroHigher)},
                {"first_higher", numberJson(o.firstHigher)}}},
              {"total", numberJson(o.total)}}},
            {"gates",
             {{"sigma1", numberJson(head.zerosSm.gates.sigma1)}, {"sigmah", numberJson(head.zerosSm.gates.sigmah)}}},
            {"rel_mse",
             {{"zeros_sm", numberJson(head.zerosSm.relMse)},
              {"linear_zeros", numberJson(head.linearZeros.relMse)},
              {"linear_zeros_free0", numberJson(head.linearZerosFree.relMse)},
              {"zeros_sm_ones", numberJson(head.zerosSmOnes.relMse)}}},
            {"c_star", numberJson(head.cStar)},
            {"linear", fitJson(head.linearZeros)},
            {"linear_free0", fitJson(head.linearZerosFree)},
            {"negative_share", numberJson(head.negativeShare)},
            {"rows", head.rows}};
}

std::string summary(const analysis::OrdersResult& result) {
    analysis::Table table;
    table.columns = {column("layer", "layer"),
                     column("head", "head"),
                     column("zero", "|y0|²"),
                     column("first", "|y1|²"),
                     column("higher", "|yh|²"),
                     column("total", "|y|²"),
                     column("sigma1", "σ1"),
                     column("sigmah", "σh"),
                     column("zeros_sm", "ZeroS-SM", NumberStyle::Percent),
                     column("linear", "linear ZeroS", NumberStyle::Percent)};
    for (const HeadOrders& head : result.heads)
        addRow(table, {std::int64_t{head.layer.value}, std::int64_t{head.head.value}, head.output.zero,
                       head.output.first, head.output.higher, head.output.total, head.zerosSm.gates.sigma1,
                       head.zerosSm.gates.sigmah, head.zerosSm.relMse, head.linearZeros.relMse});
    return alignedText(table) + "functional form, untrained\n";
}

VerbOutput runOrders(const Options& options, const kernels::RunControl& control) {
    checkSelection(options);
    analysis::OrdersParams params;
    params.rows = rowCount(options);
    params.rowSeed = options.seed;
    const Inputs inputs = openInputs(options);
    const analysis::DumpInfo& info = inputs.source->info();
    params.selection = selectionFrom(options, info, {"evaluation"});
    params.positions = queryPositions(options, inputs, analysis::selectedPrompts(params.selection, info));
    analysis::OrdersResult result = analysis::softmaxOrders(params, *inputs.source, control);
    noteParameters(inputs, result.provenance, result.warnings);

    VerbOutput output;
    output.document = {{"positions", result.positions}, {"heads", Json::array()}};
    for (const HeadOrders& head : result.heads) output.document["heads"].push_back(headJsonOf(head));
    output.text = summary(result);
    output.table = analysis::ordersTable(result);
    output.warnings = result.warnings;
    return output;
}

}  // namespace

Verb ordersVerb() {
    return {"orders", "Zero-, first- and higher-order parts of softmax, and zero-sum attention fitted to it",
            "  dimscope-cli orders dump.h5 --layers 15 --rows all\n"
            "  dimscope-cli orders dump.h5 --json --out orders.csv",
            addOrdersOptions, runOrders};
}

}  // namespace dimscope::app
