// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/core/layer_jobs.h"

#include <algorithm>

#include "analysis/experiments/experiment_catalog.h"
#include "kernels/error.h"

namespace dimscope::app {
namespace {

using analysis::Selection;

bool needsGroups(const ComparisonKey& key) {
    return std::find(key.kernels.begin(), key.kernels.end(), "oal") != key.kernels.end();
}

}  // namespace

analysis::ComparisonParams comparisonParams(const ComparisonKey& key) {
    analysis::ComparisonParams params;
    params.selection.layers = {key.layer};
    if (key.head) params.selection.heads = {*key.head};
    params.selection.prompts = key.prompts;
    params.selection.length = key.length;
    params.kernels = key.kernels;
    params.rows = key.rows;
    params.seeds = key.seeds;
    params.rowSeed = key.rowSeed;
    params.evaluation = key.evaluation;
    params.keepWeights = key.keepWeights;
    params.afterProjection = !key.head;  // W_o mixes the heads of a layer
    return params;
}

std::shared_ptr<const analysis::ProfileResult> profileLayer(const JobContext& context, const ProfileKey& key,
                                                            const RunControl& control) {
    return context.store->profiles.getOrMake(key, control, [&] {
        const Selection selection{{key.layer}, {}, key.prompts, key.length};
        return context.backend->with(key.backend, [&](kernels::Backend& backend) {
            return analysis::profileHeads(selection, *context.source, backend, control);
        });
    });
}

std::shared_ptr<const analysis::GroupingResult> groupLayer(const JobContext& context, const GroupingKey& key,
                                                           const RunControl& control) {
    return context.store->groupings.getOrMake(key, control, [&] {
        const auto profile = profileLayer(context, key.profile, control.slice(0.0F, 0.5F));
        return analysis::groupHeads(key.params, *profile, control.slice(0.5F, 1.0F));
    });
}

std::shared_ptr<const analysis::ComparisonResult> compareKernelsOf(const JobContext& context, const ComparisonKey& key,
                                                                   const RunControl& control) {
    return context.store->comparisons.getOrMake(key, control, [&] {
        analysis::KernelFactory factory(key.settings);
        if (needsGroups(key)) factory.setGroups(*groupLayer(context, key.grouping, control.slice(0.0F, 0.2F)));
        return context.backend->with(key.backend, [&](kernels::Backend& backend) {
            return analysis::compareKernels(comparisonParams(key), factory, *context.source, backend,
                                            control.slice(0.2F, 1.0F), true);
        });
    });
}

std::shared_ptr<const analysis::ExperimentOutcome> runExperiment(const JobContext& context, const ExperimentKey& key,
                                                                 const RunControl& control,
                                                                 const analysis::ExperimentLinks& links) {
    return context.store->experiments.getOrMake(key, control, [&] {
        const analysis::Experiment* experiment = analysis::findExperiment(key.name);
        if (experiment == nullptr) throw kernels::ArgumentError("there is no experiment '" + key.name + "'");
        if (const std::string reason = experiment->unsupported(context.source->info()); !reason.empty())
            throw kernels::ArgumentError(experiment->title + " is not possible: " + reason);
        return context.backend->with(key.backend, [&](kernels::Backend& backend) {
            return experiment->run(key.request, *context.source, backend, control, links);
        });
    });
}

HeadTensors loadHeadTensors(const JobContext& context, LayerIndex layer, HeadIndex head, PromptIndex prompt,
                            const RunControl& control) {
    using analysis::TensorKind;
    const analysis::LayerInfo* info = context.source->info().find(layer);
    if (info == nullptr) throw kernels::ArgumentError("the dump has no layer " + std::to_string(layer.value));
    const int kvHead = kernels::kvHeadOf(head, info->nHeads, info->nKvHeads).value;
    return {prompt, context.source->load(TensorKind::Query, layer, prompt, head.value, control.slice(0.0F, 0.5F)),
            context.source->load(TensorKind::Key, layer, prompt, kvHead, control.slice(0.5F, 1.0F))};
}

}  // namespace dimscope::app
