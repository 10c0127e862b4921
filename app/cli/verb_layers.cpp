// SPDX-License-Identifier: GPL-3.0-or-later
#include <array>
#include <cassert>

#include "analysis/contribution/layer_magnitudes.h"
#include "analysis/figures/contribution_figures.h"
#include "app/cli/inputs.h"
#include "app/cli/text_table.h"
#include "app/cli/verbs.h"

namespace dimscope::app {
namespace {

using analysis::LayerMagnitudes;
using analysis::MagnitudeSummary;

void addLayersOptions(CLI::App& verb, Options& options) {
    addFileOption(verb, options);
    addSelectionOptions(verb, options);
    verb.add_option("--rows", options.rows, "Query rows per prompt that y W_o is computed at, or all")
        ->capture_default_str();
    addBackendOptions(verb, options);
    addOutOption(verb, options);
    addJsonOption(verb, options);
}

Json summaryJson(const MagnitudeSummary& summary) {
    Json top = Json::array(), places = Json::array();
    for (const analysis::LargeDimension& large : summary.top) {
        top.push_back(numberJson(large.value));
        Json place = {{"dim", large.dimension}};
        if (large.head >= 0) place["head"] = large.head;
        places.push_back(place);
    }
    return {{"top3", top}, {"median", numberJson(summary.median)}, {"dims", places}};
}

Json summaryJson(const std::optional<MagnitudeSummary>& summary) {
    return summary ? summaryJson(*summary) : Json(nullptr);
}

Json layerJson(const LayerMagnitudes& layer) {
    Json hidden = summaryJson(layer.hidden);
    if (layer.hidden) hidden["statistic"] = layer.hiddenIsMaximum ? "max" : "mean";
    return {{"layer", layer.layer.value},    {"q", summaryJson(layer.query)},      {"k", summaryJson(layer.key)},
            {"v", summaryJson(layer.value)}, {"y_w_o", summaryJson(layer.output)}, {"hidden", hidden}};
}

/// The table with the short titles of a terminal.
std::string summary(analysis::Table table) {
    constexpr std::array kTitles{"layer", "tensor", "largest", "second", "third", "median", "ratio", "their dims"};
    assert(table.columns.size() == kTitles.size());
    for (std::size_t c = 0; c < kTitles.size(); ++c) table.columns[c].title = kTitles[c];
    return alignedText(table);
}

VerbOutput runLayers(const Options& options, const kernels::RunControl& control) {
    checkSelection(options);
    analysis::LayerMagnitudesParams params;
    params.rows = rowCount(options);
    params.rowSeed = options.seed;
    const Inputs inputs = openInputs(options, control);
    params.selection = selectionFrom(options, inputs.source->info(), {});
    const analysis::LayerMagnitudesResult result =
        analysis::layerMagnitudes(params, *inputs.source, *inputs.backend, control);

    VerbOutput output;
    output.document["layers"] = Json::array();
    for (const LayerMagnitudes& layer : result.layers) output.document["layers"].push_back(layerJson(layer));
    output.table = analysis::layerMagnitudesTable(result);
    output.text = summary(output.table);
    output.warnings = result.warnings;
    if (wantsFigure(options)) output.figure = analysis::layerMagnitudesFigure(result);
    return output;
}

}  // namespace

Verb layersVerb() {
    return {"layers", "Largest and median magnitudes of q, k, v, the projected output and the residual stream",
            "  dimscope-cli layers dump.h5\n"
            "  dimscope-cli layers dump.h5 --rows all --json --out layers.csv",
            addLayersOptions, runLayers};
}

}  // namespace dimscope::app
