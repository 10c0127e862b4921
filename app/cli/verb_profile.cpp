// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "analysis/figures/profile_figures.h"
#include "analysis/head_profile.h"
#include "app/cli/inputs.h"
#include "app/cli/text_table.h"
#include "app/cli/verbs.h"

namespace dimscope::app {
namespace {

using analysis::HeadProfile;
using analysis::NumberStyle;
using analysis::ProfileResult;

void addProfileOptions(CLI::App& verb, Options& options) {
    addFileOption(verb, options);
    addSelectionOptions(verb, options);
    addBackendOptions(verb, options);
    addOutOption(verb, options);
    addJsonOption(verb, options);
}

Json headJson(const HeadProfile& head) {
    return {{"layer", head.layer.value},
            {"head", head.head.value},
            {"q_mean_abs", numbersJson(head.qMeanAbs)},
            {"k_mean_abs", numbersJson(head.kMeanAbs)},
            {"q_max_abs", numbersJson(head.qMaxAbs)},
            {"k_max_abs", numbersJson(head.kMaxAbs)},
            {"chi", numbersJson(head.chi)},
            {"share", numbersJson(head.share)},
            {"order", head.order},
            {"chi_eff", numbersJson(head.chiEffective)},
            {"top_share", {{"1", numberJson(head.top1)}, {"5", numberJson(head.top5)}, {"10", numberJson(head.top10)}}},
            {"effective_dims", numberJson(head.effectiveDims)},
            {"non_finite", head.nonFinite}};
}

/// The strongest dimensions, strongest first; none of a head without numbers.
std::vector<std::int64_t> strongest(const HeadProfile& head, std::size_t count) {
    if (!head.usable()) return {};
    return {head.order.rbegin(), head.order.rbegin() + static_cast<std::ptrdiff_t>(std::min(count, head.order.size()))};
}

std::string summary(const ProfileResult& result) {
    analysis::Table table;
    table.columns = {column("layer", "layer"),
                     column("head", "head"),
                     column("top1", "top 1", NumberStyle::Percent),
                     column("top5", "top 5", NumberStyle::Percent),
                     column("top10", "top 10", NumberStyle::Percent),
                     column("effective_dims", "effective dims"),
                     column("strongest", "strongest dims")};
    for (const HeadProfile& head : result.heads)
        addRow(table, {std::int64_t{head.layer.value}, std::int64_t{head.head.value}, head.top1, head.top5, head.top10,
                       head.effectiveDims, strongest(head, 5)});
    return alignedText(table);
}

VerbOutput runProfile(const Options& options, const kernels::RunControl& control) {
    checkSelection(options);
    const Inputs inputs = openInputs(options, control);
    ProfileResult result = analysis::profileHeads(selectionFrom(options, inputs.source->info(), {}), *inputs.source,
                                                  *inputs.backend, control);
    result.provenance.seed = options.seed;

    VerbOutput output;
    output.document["heads"] = Json::array();
    for (const HeadProfile& head : result.heads) output.document["heads"].push_back(headJson(head));
    output.text = summary(result);
    output.table = analysis::profileTable(result);
    output.warnings = result.warnings;
    if (wantsFigure(options) && result.heads.size() == 1) {
        const HeadProfile& head = result.heads.front();
        output.figure =
            analysis::contributionFigure(result, head, *inputs.source->info().find(head.layer), nullptr, {});
    }
    return output;
}

}  // namespace

Verb profileVerb() {
    return {"profile", "Magnitudes and contributions of every dimension",
            "  dimscope-cli profile dump.h5 --layers 15\n"
            "  dimscope-cli profile dump.h5 --layers 4,12 --heads 0-3 --out profile.csv",
            addProfileOptions, runProfile};
}

}  // namespace dimscope::app
