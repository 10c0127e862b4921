// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/contribution/concentration.h"
#include "analysis/figures/contribution_figures.h"
#include "analysis/statistics.h"
#include "app/cli/inputs.h"
#include "app/cli/text_table.h"
#include "app/cli/verbs.h"

namespace dimscope::app {
namespace {

using analysis::HeadConcentration;
using analysis::NumberStyle;

void addConcentrationOptions(CLI::App& verb, Options& options) {
    addFileOption(verb, options);
    addSelectionOptions(verb, options);
    verb.add_option("--draws", options.isotropicDraws, "Draws of isotropic queries and keys")
        ->check(CLI::Range(0, 100'000))
        ->capture_default_str();
    addBackendOptions(verb, options);
    addOutOption(verb, options);
    addJsonOption(verb, options);
}

Json quantilesJson(const std::vector<double>& draws) {
    Json quantiles = Json::array();
    for (const double p : analysis::kDrawQuantiles) quantiles.push_back(numberJson(analysis::quantileOf(draws, p)));
    return quantiles;
}

Json isotropicJson(const analysis::IsotropicShares& draws) {
    return {{"same", numberJson(analysis::meanOf(draws.same))},
            {"own", numberJson(analysis::meanOf(draws.own))},
            {"quantiles",
             {{"p", analysis::kDrawQuantiles},
              {"same", quantilesJson(draws.same)},
              {"own", quantilesJson(draws.own)},
              {"effective_dims", quantilesJson(draws.effectiveDims)}}},
            {"effective_dims", numberJson(analysis::meanOf(draws.effectiveDims))},
            {"p_at_most", numberJson(draws.p)},
            {"draws", {{"same", numbersJson(draws.same)}, {"own", numbersJson(draws.own)}}},
            {"lorenz", numbersJson(draws.lorenz)}};
}

Json headJsonOf(const HeadConcentration& head) {
    return {{"layer", head.layer.value},
            {"head", head.head.value},
            {"top_share", {{"1", numberJson(head.top1)}, {"5", numberJson(head.top5)}, {"10", numberJson(head.top10)}}},
            {"effective_dims", numberJson(head.effectiveDims)},
            {"strongest", head.strongest},
            {"lorenz", numbersJson(head.lorenz)},
            {"gaussian", isotropicJson(head.isotropic)}};
}

std::string summary(const analysis::ConcentrationResult& result) {
    analysis::Table table;
    table.columns = {column("layer", "layer"),
                     column("head", "head"),
                     column("top1", "top 1", NumberStyle::Percent),
                     column("top5", "top 5", NumberStyle::Percent),
                     column("top10", "top 10", NumberStyle::Percent),
                     column("effective_dims", "effective dims"),
                     column("same", "same 5, isotropic", NumberStyle::Percent),
                     column("own", "its own 5", NumberStyle::Percent),
                     column("own_most", "95 %", NumberStyle::Percent),
                     column("p", "p at most")};
    for (const HeadConcentration& head : result.heads)
        addRow(table, {std::int64_t{head.layer.value}, std::int64_t{head.head.value}, head.top1, head.top5, head.top10,
                       head.effectiveDims, analysis::meanOf(head.isotropic.same), analysis::meanOf(head.isotropic.own),
                       analysis::quantileOf(head.isotropic.own, analysis::kDrawQuantiles.back()), head.isotropic.p});
    return alignedText(table);
}

VerbOutput runConcentration(const Options& options, const kernels::RunControl& control) {
    checkSelection(options);
    const Inputs inputs = openInputs(options, control);
    analysis::ConcentrationParams params;
    params.selection = selectionFrom(options, inputs.source->info(), {});
    params.draws = options.isotropicDraws;
    params.seed = options.seed;
    const analysis::ConcentrationResult result =
        analysis::concentration(params, *inputs.source, *inputs.backend, control);

    VerbOutput output;
    output.document["heads"] = Json::array();
    for (const HeadConcentration& head : result.heads) output.document["heads"].push_back(headJsonOf(head));
    output.text = summary(result);
    output.table = analysis::concentrationTable(result);
    output.warnings = result.warnings;
    if (wantsFigure(options))
        output.figure = result.heads.size() == 1 ? analysis::lorenzFigure(result, result.heads.front())
                                                 : analysis::topShareFigure(result);
    return output;
}

}  // namespace

Verb concentrationVerb() {
    return {"concentration", "How few dimensions carry the contributions, against isotropic draws",
            "  dimscope-cli concentration dump.h5 --layers 15\n"
            "  dimscope-cli concentration dump.h5 --draws 100 --json --out concentration.csv",
            addConcentrationOptions, runConcentration};
}

}  // namespace dimscope::app
