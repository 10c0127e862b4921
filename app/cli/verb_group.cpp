// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/figures/profile_figures.h"
#include "analysis/grouping.h"
#include "app/cli/inputs.h"
#include "app/cli/text_table.h"
#include "app/cli/verbs.h"

namespace dimscope::app {
namespace {

using analysis::GroupingResult;
using analysis::HeadGrouping;

void addGroupOptions(CLI::App& verb, Options& options) {
    addFileOption(verb, options);
    addSelectionOptions(verb, options);
    addGroupingOptions(verb, options);
    addParamsOption(verb, options, "its /bootstrap/indices replace the drawn replicates");
    addBackendOptions(verb, options);
    addOutOption(verb, options);
    addJsonOption(verb, options);
}

Json headJson(const HeadGrouping& head) {
    return {{"layer", head.layer.value},
            {"head", head.head.value},
            {"chi", numbersJson(head.chi)},
            {"order", head.order},
            {"ratio", numbersJson(head.ratio)},
            {"support", numbersJson(head.support)},
            {"candidates", head.candidates},
            {"cuts", head.cuts},
            {"groups", head.groups},
            {"outliers", head.outliers}};
}

std::string summary(const GroupingResult& result) {
    analysis::Table table;
    table.columns = {column("layer", "layer"), column("head", "head"), column("groups", "groups"),
                     column("share", "outlier share", analysis::NumberStyle::Percent), column("outliers", "outliers")};
    for (const HeadGrouping& head : result.heads)
        addRow(table, {std::int64_t{head.layer.value}, std::int64_t{head.head.value},
                       static_cast<std::int64_t>(head.groups.size()), head.outlierShare(),
                       std::vector<std::int64_t>(head.outliers.begin(), head.outliers.end())});
    return alignedText(table);
}

VerbOutput runGroup(const Options& options, const kernels::RunControl& control) {
    checkSelection(options);
    analysis::GroupingParams params = groupingFrom(options);
    Inputs inputs = openInputs(options, control);
    const auto selection = selectionFrom(options, inputs.source->info(), {"calibration", "train"});
    const auto profile = analysis::profileHeads(selection, *inputs.source, *inputs.backend, control.slice(0.0F, 0.5F));
    params.bootstrap = bootstrapDraws(inputs, profile.prompts.size());
    GroupingResult result = analysis::groupHeads(params, profile, control.slice(0.5F, 1.0F));
    noteParameters(inputs, result.provenance, result.warnings);

    VerbOutput output;
    output.document["heads"] = Json::array();
    for (const HeadGrouping& head : result.heads) output.document["heads"].push_back(headJson(head));
    output.text = summary(result);
    output.table = analysis::groupingTable(result);
    output.warnings = result.warnings;
    if (wantsFigure(options) && result.heads.size() == 1)
        output.figure =
            analysis::sortedProfileFigure(profile, profile.heads.front(), &result.heads.front(), {}, &result.params);
    return output;
}

}  // namespace

Verb groupVerb() {
    return {"group", "Bootstrap grouping of the dimensions by contribution",
            "  dimscope-cli group dump.h5 --layers 15\n"
            "  dimscope-cli group dump.h5 --alpha 0.5 --gamma 0.5 --support set --json",
            addGroupOptions, runGroup};
}

}  // namespace dimscope::app
