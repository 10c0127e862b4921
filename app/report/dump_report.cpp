// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/report/dump_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "analysis/doctor/sink_exclusion.h"
#include "analysis/figures/figure_parts.h"
#include "analysis/figures/grouping_figures.h"
#include "analysis/figures/kernel_figures.h"
#include "analysis/figures/overview.h"
#include "analysis/figures/profile_figures.h"
#include "app/core/dump_opening.h"
#include "app/report/head_figures.h"
#include "app/report/kernel_rows.h"
#include "kernels/backend_registry.h"

namespace dimscope::app {
DumpReport::DumpReport(const std::filesystem::path& file, const std::string& backend, int seed,
                       const io::ReadingDecisions& decisions) {
    workspace_.adopt(file, openDumpSafely(file, decisions));
    workspace_.setBackend(backend);
    Parameters parameters = workspace_.parameters();
    parameters.seed = seed;
    workspace_.setParameters(std::move(parameters));
    context_ = workspace_.context(std::make_shared<BackendSlot>());
}

void DumpReport::excludeSinks(const RunControl& control) {
    const auto seed = static_cast<std::uint64_t>(workspace_.parameters().seed);
    const auto backend = kernels::makeBackend(workspace_.backend());
    workspace_.adopt(workspace_.path(), analysis::withoutFoundSinks(context_.source, seed, *backend, control));
    context_ = workspace_.context(std::make_shared<BackendSlot>());
}

std::vector<DumpReport::Step> DumpReport::steps() {
    const std::vector<analysis::LayerInfo>& layers = workspace_.info().layers;
    std::vector<Step> steps{{"overview", [this](const RunControl& control) { return overview(control); }}};
    for (const analysis::LayerInfo& layer : layers)
        steps.push_back({fmt::format("layer {}", layer.layer.value),
                         [this, &layer](const RunControl& control) { return layerContent(layer, control); }});
    // Profiles need no v, errors do. This step takes longest and draws nothing: it comes last.
    if (std::any_of(layers.begin(), layers.end(), [](const analysis::LayerInfo& layer) { return layer.hasValue; }))
        steps.push_back({"kernels of all layers", [this](const RunControl& control) { return kernelErrors(control); }});
    return steps;
}

std::vector<analysis::Finding> DumpReport::findings() const {
    const analysis::HeadProfile* strongest = nullptr;
    for (const analysis::HeadProfile& head : profile_.heads)
        if (head.usable() && (strongest == nullptr || head.top5 > strongest->top5)) strongest = &head;
    if (strongest == nullptr) return {};
    const std::string place = fmt::format("Layer {}, head {}: ", strongest->layer.value, strongest->head.value);
    std::vector<analysis::Finding> found = analysis::profileFindings(
        *strongest, *workspace_.info().find(strongest->layer), groupsOf(strongest->layer, strongest->head));
    for (const auto& [choice, errors] : comparisons_)
        if (choice.layer == strongest->layer)
            for (analysis::Finding& finding : analysis::kernelFindings(*errors, choice.layer, choice.head))
                found.push_back(std::move(finding));
    for (analysis::Finding& finding : found) finding.text = place + finding.text;
    return found;
}

std::vector<std::string> DumpReport::limits() const {
    std::vector<std::string> clauses;
    const auto lacking = [this](auto has) {
        std::vector<int> layers;
        for (const analysis::LayerInfo& layer : workspace_.info().layers)
            if (!has(layer)) layers.push_back(layer.layer.value);
        return layers.size() == workspace_.info().layers.size() ? std::string("any layer")
               : layers.empty()                                 ? std::string()
                                                                : "layers " + analysis::commaList(layers);
    };
    if (const auto text = lacking([](const analysis::LayerInfo& l) { return l.hasValue; }); !text.empty())
        clauses.push_back("no v in " + text + ": no errors of kernels");
    if (const auto text = lacking([](const analysis::LayerInfo& l) { return l.hasOutputProjection; }); !text.empty())
        clauses.push_back("no W_o in " + text + ": no errors after the projection");
    if (workspace_.info().prompts.size() < 2) clauses.push_back("one prompt: the support of cuts says nothing");
    if (analysis::promptsOfSplits(workspace_.info(), {"calibration", "train"}).size() ==
        workspace_.info().prompts.size())
        clauses.push_back("groups are selected and judged on the same prompts");
    return clauses;
}

const analysis::HeadGrouping* DumpReport::groupsOf(LayerIndex layer, HeadIndex head) const {
    for (const auto& result : groupings_)
        if (const auto* found = result->find(layer, head); found != nullptr && found->usable) return found;
    return nullptr;
}

PageContent DumpReport::overview(const RunControl& control) {
    profile_ = profileDump(context_, workspace_, control);
    PageContent content;
    content.add(analysis::overviewFigure(profile_, workspace_.info(), analysis::overviewQuantities().front().first));
    content.add(analysis::profileTable(profile_));
    return content;
}

PageContent DumpReport::layerContent(const analysis::LayerInfo& layer, const RunControl& control) {
    const auto grouping = groupings_.emplace_back(groupLayer(context_, workspace_.groupingKey(layer.layer), control));
    PageContent content;
    const std::string suffix = fmt::format("-L{:02}", layer.layer.value);
    analysis::Table groups = analysis::groupingTable(*grouping);
    groups.name += suffix;
    content.add(std::move(groups));
    analysis::Figure counts = analysis::outlierCountFigure(*grouping);
    counts.name += suffix;
    content.add(std::move(counts));

    const analysis::HeadProfile* head = strongestHead(profile_, layer.layer);
    if (!head) return content;
    const auto profile = profileLayer(context_, workspace_.profileKey(layer.layer), control);
    const HeadResults results{layer, *profile, *head, grouping.get()};
    content.add(profileContent(results, figureOptions(workspace_.parameters(), {})));
    content.add(groupingContent(results));
    addTokens(content, *head, *profile, control);
    if (layer.hasValue) addKernels(content, {layer.layer, head->head}, control);
    return content;
}

void DumpReport::addTokens(PageContent& content, const analysis::HeadProfile& head,
                           const analysis::ProfileResult& profile, const RunControl& control) const {
    const HeadTensors tensors = loadHeadTensors(context_, head.layer, head.head, profile.prompts.front(), control);
    content.add(analysis::tokenMapFigure(head, tensors.prompt, kernels::viewOf(tensors.query->values),
                                         kernels::viewOf(tensors.key->values), profile.provenance));
}

void DumpReport::addKernels(PageContent& content, HeadChoice choice, const RunControl& control) {
    const auto errors = compareKernelsOf(context_, workspace_.headComparisonKey(choice), control);
    const Parameters& parameters = workspace_.parameters();
    content.add(analysis::kernelErrorFigure(*errors, choice.layer, choice.head));
    content.add(analysis::errorByPositionFigure(*errors, choice.layer, choice.head, parameters.positionBin));
    content.add(analysis::weightsFigure(*errors, choice.layer, choice.head, parameters.weightsOf));
    comparisons_.emplace_back(choice, errors);
}

PageContent DumpReport::kernelErrors(const RunControl& control) const {
    const analysis::ComparisonResult all = compareDump(context_, workspace_, control);
    PageContent content;
    content.add(analysis::pooledTable(all));
    content.add(analysis::comparisonTable(all));
    for (const auto& [choice, errors] : comparisons_) {
        const analysis::HeadGrouping* grouping = groupsOf(choice.layer, choice.head);
        const auto rows = kernelRows(*errors, &all, choice, workspace_.parameters(), grouping);
        content.add(kernelRowsTable(rows, *errors, choice));
    }
    return content;
}

}  // namespace dimscope::app
