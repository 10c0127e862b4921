// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/core/dump_jobs.h"

namespace dimscope::app {

analysis::ProfileResult profileDump(const JobContext& context, const Workspace& workspace, const RunControl& control) {
    analysis::ProfileResult all;
    const auto& layers = workspace.info().layers;
    for (std::size_t l = 0; l < layers.size(); ++l) {
        const auto part = profileLayer(context, workspace.profileKey(layers[l].layer), control.part(l, layers.size()));
        if (l == 0) {
            all.prompts = part->prompts;
            all.provenance = part->provenance;
            for (auto& [name, value] : all.provenance.selection)
                if (name == "layers") value = std::string("all");
        }
        all.heads.insert(all.heads.end(), part->heads.begin(), part->heads.end());
        all.warnings.insert(all.warnings.end(), part->warnings.begin(), part->warnings.end());
    }
    return all;
}

analysis::ComparisonResult compareDump(const JobContext& context, const Workspace& workspace,
                                       const RunControl& control) {
    const auto& layers = workspace.info().layers;
    const ComparisonKey key = workspace.layerComparisonKey(layers.front().layer);
    analysis::KernelFactory factory(key.settings);
    const RunControl grouping = control.slice(0.0F, 0.3F);
    for (std::size_t l = 0; l < layers.size(); ++l)
        factory.setGroups(
            *groupLayer(context, workspace.groupingKey(layers[l].layer), grouping.part(l, layers.size())));
    analysis::ComparisonParams params = comparisonParams(key);
    params.selection.layers.clear();
    return context.backend->with(key.backend, [&](kernels::Backend& backend) {
        return analysis::compareKernels(params, factory, *context.source, backend, control.slice(0.3F, 1.0F), true);
    });
}

const analysis::HeadProfile* strongestHead(const analysis::ProfileResult& profile, LayerIndex layer) {
    const analysis::HeadProfile* best = nullptr;
    for (const analysis::HeadProfile& head : profile.heads)
        if (head.layer == layer && head.usable() && (best == nullptr || head.top5 > best->top5)) best = &head;
    return best;
}

}  // namespace dimscope::app
