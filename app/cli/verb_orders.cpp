// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/figures/orders_figures.h"
#include "analysis/orders/hull_distance.h"
#include "analysis/orders/order_ablations.h"
#include "analysis/orders/softmax_orders.h"
#include "analysis/warning_list.h"
#include "app/cli/inputs.h"
#include "app/cli/kernel_options.h"
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
    verb.add_flag("--ablations", options.ablations, "Also linear ZeroS with one part changed at a time");
    CLI::Option* hull = verb.add_flag("--hull", options.hull,
                                      "Also the distance of kernels' outputs to the convex hull of the visible values");
    verb.add_option("--kernels", options.hullKernels, "Kernels of --hull: a,b or all")
        ->needs(hull)
        ->capture_default_str();
    addParamsOption(verb, options, "/positions and, of --hull, kernels and draws");
    addBackendOptions(verb, options);
    addKernelParameterOptions(verb, options, kernelNames(), true);
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

Json gatesJson(const std::vector<analysis::BandGates>& bands) {
    Json json = Json::array();
    for (const analysis::BandGates& band : bands)
        json.push_back({{"fewest_keys", numberJson(band.fewestKeys)},
                        {"most_keys", numberJson(band.mostKeys)},
                        {"sigma0", numberJson(band.gates.sigma0)},
                        {"sigma1", numberJson(band.gates.sigma1)},
                        {"sigmah", numberJson(band.gates.sigmah)}});
    return json;
}

std::string ablationSummary(const analysis::OrderAblations& result) {
    analysis::Table table;
    table.columns = {column("layer", "layer"), column("variant", "variant"),
                     column("rel_mse", "RelMSE", NumberStyle::Percent), column("cosine", "cosine"),
                     column("change", "changed against the baseline")};
    for (const analysis::PooledAblation& pooled : result.pooled) {
        addRow(table, {pooled.layer ? std::to_string(pooled.layer->value) : "all", pooled.variant, pooled.relMse,
                       pooled.cosine, analysis::ablationVariant(pooled.variant).change});
    }
    return alignedText(table) + "linear ZeroS, functional form, untrained; fits pooled over heads\n";
}

/// The main table is that of what was asked for last; the record goes on from the parts before it.
void putTable(analysis::Table table, const Inputs& inputs, VerbOutput& output) {
    noteParameters(inputs, table.provenance, table.warnings);
    table.provenance.started = output.table.provenance.started;
    table.provenance.elapsedSeconds += output.table.provenance.elapsedSeconds;
    analysis::addOnce(table.warnings, output.warnings);
    output.table = std::move(table);
}

void addAblations(const analysis::OrderAblations& result, const Options& options, const Inputs& inputs,
                  VerbOutput& output) {
    output.document["ablations"] = Json::array();
    for (const analysis::HeadAblation& head : result.heads)
        output.document["ablations"].push_back({{"layer", head.layer.value},
                                                {"head", head.head.value},
                                                {"variant", head.variant},
                                                {"rel_mse", numberJson(head.relMse)},
                                                {"cosine", numberJson(head.cosine)},
                                                {"gates", gatesJson(head.gates)},
                                                {"scale", numberJson(head.scale)},
                                                {"rows", head.rows}});
    output.document["ablations_pooled"] = Json::array();
    for (const analysis::PooledAblation& pooled : result.pooled)
        output.document["ablations_pooled"].push_back(
            {{"layer", pooled.layer ? Json(pooled.layer->value) : Json("all")},
             {"variant", pooled.variant},
             {"rel_mse", numberJson(pooled.relMse)},
             {"cosine", numberJson(pooled.cosine)},
             {"heads", pooled.heads}});
    output.text += "\n" + ablationSummary(result);
    putTable(analysis::headAblationTable(result), inputs, output);
    if (wantsFigure(options)) output.figure = analysis::ablationFigure(result);
}

std::string hullSummary(const analysis::HullResult& result) {
    analysis::Table table;
    table.columns = {column("layer", "layer"),          column("head", "head"),
                     column("kernel", "kernel"),        column("distance", "distance to the hull"),
                     column("max_distance", "largest"), column("outside", "rows outside", NumberStyle::Percent)};
    for (const analysis::HeadHull& head : result.heads)
        addRow(table, {std::int64_t{head.layer.value}, std::int64_t{head.head.value}, head.kernel, head.distance,
                       head.maxDistance, head.outsideShare});
    return alignedText(table) + "in units of the visible values' RMS distance from their mean\n";
}

void addHull(const analysis::HullResult& result, const Inputs& inputs, VerbOutput& output) {
    output.document["hull"] = Json::array();
    for (const analysis::HeadHull& head : result.heads)
        output.document["hull"].push_back({{"layer", head.layer.value},
                                           {"head", head.head.value},
                                           {"kernel", head.kernel},
                                           {"distance", numberJson(head.distance)},
                                           {"max_distance", numberJson(head.maxDistance)},
                                           {"outside_share", numberJson(head.outsideShare)},
                                           {"rows", head.rows},
                                           {"left_out", head.leftOut},
                                           {"gap", numberJson(head.gap)}});
    output.text += "\n" + hullSummary(result);
    putTable(analysis::hullTable(result), inputs, output);
}

analysis::HullParams hullParams(const Options& options, const analysis::OrdersParams& orders) {
    Options own = options;
    own.kernels = options.hullKernels;
    analysis::HullParams params;
    params.selection = orders.selection;
    params.kernels = kernelsFrom(own);
    params.rows = orders.rows;
    params.positions = orders.positions;
    params.rowSeed = orders.rowSeed;
    params.threads = options.threads;
    return params;
}

VerbOutput runOrders(const Options& options, const kernels::RunControl& control) {
    checkSelection(options);
    analysis::OrdersParams params;
    params.rows = rowCount(options);
    params.rowSeed = options.seed;
    const Inputs inputs = openInputs(options, control);
    const analysis::DumpInfo& info = inputs.source->info();
    params.selection = selectionFrom(options, info, {"evaluation"});
    params.positions = queryPositions(options, inputs, params.selection);
    analysis::HullParams hull;
    if (options.hull) hull = hullParams(options, params);
    const float parts = 1.0F + (options.ablations ? 1.0F : 0.0F) + (options.hull ? 2.0F : 0.0F);
    analysis::OrdersResult result = analysis::softmaxOrders(params, *inputs.source, control.slice(0.0F, 1.0F / parts));
    noteParameters(inputs, result.provenance, result.warnings);

    VerbOutput output;
    output.document = {{"positions", result.positions}, {"heads", Json::array()}};
    for (const HeadOrders& head : result.heads) output.document["heads"].push_back(headJsonOf(head));
    output.text = summary(result);
    output.table = analysis::ordersTable(result);
    output.warnings = result.warnings;
    if (options.ablations)
        addAblations(analysis::orderAblations(params, *inputs.source, control.slice(1.0F / parts, 2.0F / parts)),
                     options, inputs, output);
    if (options.hull)
        addHull(analysis::hullDistances(hull, analysis::KernelFactory(options.settings, inputs.parameters),
                                        *inputs.source, *inputs.backend, control.slice(1.0F - 2.0F / parts, 1.0F),
                                        options.hullKernels == "all"),
                inputs, output);
    return output;
}

}  // namespace

Verb ordersVerb() {
    return {"orders", "Zero-, first- and higher-order parts of softmax, and zero-sum attention fitted to it",
            "  dimscope-cli orders dump.h5 --layers 15 --rows all\n"
            "  dimscope-cli orders dump.h5 --json --out orders.csv\n"
            "  dimscope-cli orders dump.h5 --ablations --out ablations.csv\n"
            "  dimscope-cli orders dump.h5 --layers 15 --hull --kernels zeros_sm,elu,rfa",
            addOrdersOptions, runOrders};
}

}  // namespace dimscope::app
