// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/dump_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "analysis/figures/grouping_figures.h"
#include "analysis/figures/kernel_figures.h"
#include "analysis/figures/overview.h"
#include "analysis/figures/profile_figures.h"
#include "app/window/head_figures.h"
#include "app/window/kernel_rows.h"

namespace dimscope::app {
DumpReport::DumpReport(const std::filesystem::path& file) {
    workspace_.adopt(file, openForWorkspace(file));
    context_ = workspace_.context(std::make_shared<BackendSlot>());
}

std::vector<DumpReport::Step> DumpReport::steps() {
    const std::vector<analysis::LayerInfo>& layers = workspace_.info().layers;
    std::vector<Step> steps{{"overview", [this] { return overview(); }}};
    for (const analysis::LayerInfo& layer : layers)
        steps.push_back({fmt::format("layer {}", layer.layer.value), [this, &layer] { return layerContent(layer); }});
    // Profiles need no v, errors do. This step takes longest and draws nothing: it comes last.
    if (std::any_of(layers.begin(), layers.end(), [](const analysis::LayerInfo& layer) { return layer.hasValue; }))
        steps.push_back({"kernels of all layers", [this] { return kernelErrors(); }});
    return steps;
}

PageContent DumpReport::overview() {
    profile_ = profileDump(context_, workspace_, {});
    PageContent content;
    content.add(analysis::overviewFigure(profile_, workspace_.info(), analysis::overviewQuantities().front().first));
    content.add(analysis::profileTable(profile_));
    return content;
}

PageContent DumpReport::layerContent(const analysis::LayerInfo& layer) {
    const auto grouping = groupings_.emplace_back(groupLayer(context_, workspace_.groupingKey(layer.layer), {}));
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
    const auto profile = profileLayer(context_, workspace_.profileKey(layer.layer), {});
    const HeadResults results{layer, *profile, *head, grouping.get()};
    content.add(profileContent(results, figureOptions(workspace_.parameters(), {})));
    content.add(groupingContent(results));
    addTokens(content, *head, *profile);
    if (layer.hasValue) addKernels(content, {layer.layer, head->head});
    return content;
}

void DumpReport::addTokens(PageContent& content, const analysis::HeadProfile& head,
                           const analysis::ProfileResult& profile) const {
    const HeadTensors tensors = loadHeadTensors(context_, head.layer, head.head, profile.prompts.front(), {});
    content.add(analysis::tokenMapFigure(head, tensors.prompt, kernels::viewOf(tensors.query->values),
                                         kernels::viewOf(tensors.key->values), profile.provenance));
}

void DumpReport::addKernels(PageContent& content, HeadChoice choice) {
    const auto errors = compareKernelsOf(context_, workspace_.headComparisonKey(choice), {});
    const Parameters& parameters = workspace_.parameters();
    content.add(analysis::kernelErrorFigure(*errors, choice.layer, choice.head));
    content.add(analysis::errorByPositionFigure(*errors, choice.layer, choice.head, parameters.positionBin));
    content.add(analysis::weightsFigure(*errors, choice.layer, choice.head, parameters.weightsOf));
    comparisons_.emplace_back(choice, errors);
}

PageContent DumpReport::kernelErrors() const {
    const analysis::ComparisonResult all = compareDump(context_, workspace_, {});
    PageContent content;
    content.add(analysis::pooledTable(all));
    content.add(analysis::comparisonTable(all));
    for (const auto& [choice, errors] : comparisons_) {
        const analysis::HeadGrouping* grouping = nullptr;
        for (const auto& layer : groupings_)
            if (const auto* found = layer->find(choice.layer, choice.head)) grouping = found;
        const auto rows = kernelRows(*errors, &all, choice, workspace_.parameters(), grouping);
        content.add(kernelRowsTable(rows, *errors, choice));
    }
    return content;
}

}  // namespace dimscope::app
