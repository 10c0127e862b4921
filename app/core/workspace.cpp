// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/core/workspace.h"

#include <algorithm>

#include "kernels/kernel_catalog.h"

namespace dimscope::app {

std::vector<std::string> comparableKernels() {
    std::vector<std::string> names;
    for (const kernels::KernelDescriptor& kernel : kernels::kernelCatalog())
        if (!kernel.referenceLine && kernel.name != "softmax") names.push_back(kernel.name);
    return names;
}

std::vector<std::string> referenceKernels() {
    std::vector<std::string> names;
    for (const kernels::KernelDescriptor& kernel : kernels::kernelCatalog())
        if (kernel.referenceLine) names.push_back(kernel.name);
    return names;
}

Workspace::Workspace() : store_(std::make_shared<ResultStore>()) {}

void Workspace::adopt(const std::filesystem::path& path, std::shared_ptr<analysis::HeadSource> source) {
    const bool sameFile = path == path_;
    path_ = path;
    source_ = std::move(source);
    ++generation_;
    store_ = std::make_shared<ResultStore>();  // jobs of the former dump keep the former store
    if (!sameFile || !choice_ || !exists(*choice_)) {
        choice_.reset();
        history_.clear();
    }
    if (!sameFile) {
        parameters_.profilePrompts.clear();
        parameters_.errorPrompts.clear();
    }
}

const analysis::LayerInfo* Workspace::layer() const {
    return isOpen() && choice_ ? info().find(choice_->layer) : nullptr;
}

bool Workspace::exists(HeadChoice choice) const {
    const analysis::LayerInfo* layer = isOpen() ? info().find(choice.layer) : nullptr;
    return layer != nullptr && choice.head.value >= 0 && choice.head.value < layer->nHeads;
}

bool Workspace::choose(HeadChoice choice) {
    if (!exists(choice) || choice_ == choice) return false;
    choice_ = choice;
    history_.visit(choice);
    return true;
}

bool Workspace::goBack() {
    if (!history_.canGoBack()) return false;
    choice_ = history_.back();
    return true;
}

bool Workspace::goForward() {
    if (!history_.canGoForward()) return false;
    choice_ = history_.forward();
    return true;
}

Index Workspace::lengthIn(const analysis::LayerInfo& layer) const {
    return parameters_.length == 0 ? layer.positions : std::min(parameters_.length, layer.positions);
}

ProfileKey Workspace::profileKey(LayerIndex layer) const {
    const analysis::LayerInfo* of = info().find(layer);
    const Index length = of == nullptr || lengthIn(*of) == of->positions ? 0 : lengthIn(*of);
    return {generation_, layer, parameters_.profilePrompts, length, backend_};
}

GroupingKey Workspace::groupingKey(LayerIndex layer) const {
    GroupingKey key{profileKey(layer), parameters_.grouping};
    if (key.profile.prompts.empty()) {
        // Groups are selected on calibration prompts, as on the command line. All prompts stay "all", so that the
        // profile of the page serves the grouping too.
        const auto chosen = analysis::promptsOfSplits(info(), {"calibration", "train"});
        if (chosen.size() < info().prompts.size()) key.profile.prompts = chosen;
    }
    return key;
}

ComparisonKey Workspace::headComparisonKey(HeadChoice choice) const {
    ComparisonKey key = layerComparisonKey(choice.layer);
    key.head = choice.head;
    key.keepWeights = true;
    return key;
}

ComparisonKey Workspace::layerComparisonKey(LayerIndex layer) const {
    ComparisonKey key;
    const GroupingKey grouping = groupingKey(layer);
    key.dump = generation_;
    key.layer = layer;
    key.prompts =
        parameters_.errorPrompts.empty() ? analysis::promptsOfSplits(info(), {"evaluation"}) : parameters_.errorPrompts;
    key.length = grouping.profile.length;
    key.backend = backend_;
    key.kernels = parameters_.kernels.empty() ? comparableKernels() : parameters_.kernels;
    if (!parameters_.evaluation.hasExactPart())  // which brings its own two
        for (std::string& name : referenceKernels()) key.kernels.push_back(std::move(name));
    key.rows = parameters_.rows;
    key.seeds.clear();
    for (int draw = 0; draw < parameters_.draws; ++draw) key.seeds.push_back(parameters_.seed + draw);
    key.rowSeed = static_cast<std::uint64_t>(parameters_.seed);
    key.evaluation = parameters_.evaluation;
    key.settings = parameters_.settings.of(key.kernels);
    key.grouping = grouping;
    return key;
}

ExperimentKey Workspace::experimentKey(const std::string& name) const {
    ExperimentKey key;
    key.dump = generation_;
    key.name = name;
    key.backend = backend_;
    key.request.selection = {{}, {}, parameters_.errorPrompts, parameters_.length};
    if (parameters_.chosenLayerOnly && choice_) key.request.selection.layers = {choice_->layer};
    key.request.grouping = parameters_.grouping;
    key.request.settings = parameters_.settings;
    key.request.seed = static_cast<std::uint64_t>(parameters_.seed);
    if (const auto set = parameters_.experiments.find(name); set != parameters_.experiments.end())
        key.request.values = set->second;
    return key;
}

}  // namespace dimscope::app
