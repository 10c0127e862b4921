// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include "analysis/contribution/stability.h"
#include "analysis/figures/contribution_figures.h"
#include "app/cli/inputs.h"
#include "app/cli/lists.h"
#include "app/cli/text_table.h"
#include "app/cli/verbs.h"

namespace dimscope::app {
namespace {

using analysis::HeadStability;
using analysis::LayerStability;
using analysis::NumberStyle;
using analysis::StabilityResult;

void addStabilityOptions(CLI::App& verb, Options& options) {
    addFileOption(verb, options);
    addSelectionOptions(verb, options);
    verb.add_option("--lengths", options.lengths, "Prefix lengths: 128,256; powers of two by default");
    verb.add_option("--replicates", options.promptReplicates, "Bootstrap replicates of the prompts")
        ->check(CLI::Range(0, 1'000'000))
        ->capture_default_str();
    addBackendOptions(verb, options);
    addOutOption(verb, options);
    addJsonOption(verb, options);
}

Json intervalJson(const std::optional<std::pair<double, double>>& interval) {
    Json bounds = Json::array();
    if (interval) bounds = {numberJson(interval->first), numberJson(interval->second)};
    return bounds;
}

Json agreementsJson(const std::vector<analysis::PromptAgreement>& prompts) {
    Json list = Json::array();
    for (const analysis::PromptAgreement& prompt : prompts)
        list.push_back({{"prompt", prompt.prompt.value},
                        {"rho", numberJson(prompt.rho)},
                        {"top5_overlap", numberJson(prompt.topOverlap)}});
    return list;
}

Json layerJson(const LayerStability& layer) {
    return {{"layer", layer.layer.value},
            {"rho", numberJson(layer.rho)},
            {"top5_overlap", numberJson(layer.topOverlap)},
            {"top_share", numbersJson(layer.reselectedShare)},
            {"top_share_fixed", numbersJson(layer.fixedShare)},
            {"length_overlap", numbersJson(layer.lengthOverlap)},
            {"rho_interval", intervalJson(layer.rhoInterval)},
            {"top5_overlap_interval", intervalJson(layer.topOverlapInterval)},
            {"prompts", agreementsJson(layer.prompts)}};
}

Json headJsonOf(const HeadStability& head) {
    return {{"layer", head.layer.value},
            {"head", head.head.value},
            {"rho", numberJson(head.rho)},
            {"top5_overlap", numberJson(head.topOverlap)},
            {"top", head.top},
            {"set_frequency", numberJson(head.setFrequency)},
            {"top_share", numbersJson(head.reselectedShare)},
            {"top_share_fixed", numbersJson(head.fixedShare)},
            {"length_overlap", numbersJson(head.lengthOverlap)},
            {"chi_first", numbersJson(head.chiFirst)},
            {"chi_second", numbersJson(head.chiSecond)},
            {"top_frequency", numbersJson(head.topFrequency)},
            {"prompts", agreementsJson(head.prompts)}};
}

/// The strongest dimensions of every head, one after the other.
Json dimensionsJson(const StabilityResult& result) {
    Json list = Json::array();
    for (const HeadStability& head : result.heads)
        for (std::size_t t = 0; t < head.top.size(); ++t) {
            std::vector<double> shares;
            for (std::size_t l = 0; l < result.lengths.size(); ++l)
                shares.push_back(head.topShares(static_cast<kernels::Index>(l), static_cast<kernels::Index>(t)));
            const auto r = static_cast<std::size_t>(head.top[t]);
            list.push_back({{"layer", head.layer.value},
                            {"head", head.head.value},
                            {"dim", head.top[t]},
                            {"rank", t + 1},
                            {"chi", numberJson(head.chi[r])},
                            {"chi_first", numberJson(head.chiFirst[r])},
                            {"chi_second", numberJson(head.chiSecond[r])},
                            {"share", numbersJson(shares)},
                            {"frequency", numberJson(head.topFrequency[r])}});
        }
    return list;
}

std::string shareTitle(kernels::Index length) { return fmt::format("top 5 at {}", length); }

std::string summary(const StabilityResult& result) {
    analysis::Table table;
    table.columns = {column("layer", "layer"), column("heads", "heads"), column("rho", "Spearman's ρ"),
                     column("overlap", "top 5 in common", NumberStyle::Percent)};
    for (const kernels::Index length : result.lengths)
        table.columns.push_back(column(shareTitle(length), shareTitle(length), NumberStyle::Percent));
    for (const LayerStability& layer : result.layers) {
        std::vector<analysis::Cell> row{std::int64_t{layer.layer.value}, std::int64_t{layer.usableHeads}, layer.rho,
                                        layer.topOverlap};
        for (const double share : layer.fixedShare) row.emplace_back(share);
        addRow(table, row);
    }
    const std::string parts = result.parts.empty()
                                  ? "one prompt: agreement between prompts is undefined"
                                  : fmt::format("agreement between {} ({} and {} prompts)", result.parts,
                                                result.first.size(), result.second.size());
    return alignedText(table) + parts + "; shares of the dimensions that are strongest at full length\n";
}

VerbOutput runStability(const Options& options, const kernels::RunControl& control) {
    checkSelection(options);
    analysis::StabilityParams params;
    if (!options.lengths.empty()) params.lengths = parseIntegers("--lengths", options.lengths);
    params.replicates = options.promptReplicates;
    params.seed = options.seed;
    const Inputs inputs = openInputs(options, control);
    params.selection = selectionFrom(options, inputs.source->info(), {});
    const StabilityResult result = analysis::contributionStability(params, *inputs.source, control);

    VerbOutput output;
    output.document = {{"parts", result.parts},
                       {"lengths", result.lengths},
                       {"layers", Json::array()},
                       {"heads", Json::array()},
                       {"dims", dimensionsJson(result)}};
    for (const LayerStability& layer : result.layers) output.document["layers"].push_back(layerJson(layer));
    for (const HeadStability& head : result.heads) output.document["heads"].push_back(headJsonOf(head));
    output.text = summary(result);
    output.table = analysis::stabilityTable(result);
    output.warnings = result.warnings;
    if (wantsFigure(options) && result.heads.size() == 1)
        output.figure = analysis::contributionScatterFigure(result, result.heads.front());
    return output;
}

}  // namespace

Verb stabilityVerb() {
    return {"stability", "Whether the same dimensions contribute on other prompts and at other lengths",
            "  dimscope-cli stability dump.h5 --layers 15\n"
            "  dimscope-cli stability dump.h5 --lengths 128,256 --json --out stability.csv",
            addStabilityOptions, runStability};
}

}  // namespace dimscope::app
