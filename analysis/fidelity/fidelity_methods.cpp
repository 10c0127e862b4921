// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/fidelity/fidelity_methods.h"

#include <algorithm>
#include <cmath>

#include "kernels/kernel_catalog.h"

namespace dimscope::analysis {
namespace {

const kernels::ParameterGroup* groupOf(const KernelFactory& factory, const std::string& kernel, LayerIndex layer) {
    if (!factory.parameters()) return nullptr;
    const auto found = factory.parameters()->layers.find(layer);
    if (found == factory.parameters()->layers.end()) return nullptr;
    const auto group = found->second.find(parameterGroupName(kernel));
    return group == found->second.end() ? nullptr : &group->second;
}

/// Untrained oal has the groups of the file; where they do not fit the layer, reading the file's kernel says so.
void keepGroups(const KernelFactory& factory, const LayerInfo& layer, KernelFactory& untrained) {
    const kernels::ParameterGroup* group = groupOf(factory, "oal", layer.layer);
    if (group == nullptr || !group->arrays.contains("label")) return;
    const kernels::ParameterArray& labels = group->arrays.at("label");
    if (labels.shape != std::vector<Index>{layer.nHeads, layer.headDim}) return;
    for (int h = 0; h < layer.nHeads; ++h) {
        std::vector<int> own;
        for (Index r = 0; r < layer.headDim; ++r)
            own.push_back(
                static_cast<int>(std::lround(labels.values[static_cast<std::size_t>(h * layer.headDim + r)])));
        untrained.setGroups(layer.layer, HeadIndex{h}, std::move(own));
    }
}

}  // namespace

bool isCalibrated(const KernelFactory& factory, const std::string& kernel, LayerIndex layer) {
    const kernels::KernelDescriptor* descriptor = kernels::findKernel(kernel);
    const kernels::ParameterGroup* group = groupOf(factory, kernel, layer);
    if (descriptor == nullptr || !descriptor->trained || group == nullptr) return false;
    if (kernel == "dijiang") return group->arrays.contains("theta");
    return factory.drawsInFile(kernel, layer) <= 1;
}

KernelFactory untrainedFactory(const KernelFactory& factory, const std::vector<LayerInfo>& layers) {
    if (!factory.parameters()) return factory;
    auto left = std::make_shared<kernels::ParameterSet>(*factory.parameters());
    for (const LayerInfo& layer : layers)
        for (const kernels::KernelDescriptor& kernel : kernels::kernelCatalog()) {
            if (!isCalibrated(factory, kernel.name, layer.layer)) continue;
            auto& groups = left->layers[layer.layer];
            if (kernel.name == "dijiang")
                groups[kernel.name].arrays.erase("theta");
            else
                groups.erase(parameterGroupName(kernel.name));
        }
    KernelFactory untrained(factory.settings(), std::move(left));
    for (const LayerInfo& layer : layers) keepGroups(factory, layer, untrained);
    return untrained;
}

std::vector<std::string> withReferenceLines(const std::vector<std::string>& kernels) {
    std::vector<std::string> all;
    const auto add = [&](const std::string& name) {
        if (name != "softmax" && std::find(all.begin(), all.end(), name) == all.end()) all.push_back(name);
    };
    for (const std::string& name : kernels) add(name);
    for (const char* line : {"zero", "uniform", "first_value"}) add(line);
    return all;
}

std::vector<FidelityMethod> fidelityMethods(const std::vector<std::string>& kernels, const KernelFactory& factory,
                                            const std::vector<LayerInfo>& layers) {
    std::vector<FidelityMethod> methods;
    for (const std::string& kernel : withReferenceLines(kernels)) {
        methods.push_back({kernel, false, ""});
        if (std::any_of(layers.begin(), layers.end(),
                        [&](const LayerInfo& layer) { return isCalibrated(factory, kernel, layer.layer); }))
            methods.push_back({kernel, true, ""});
    }
    return methods;
}

}  // namespace dimscope::analysis
