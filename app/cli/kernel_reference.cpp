// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/kernel_reference.h"

#include <fmt/format.h>

#include "analysis/kernel_factory.h"

namespace dimscope::app {
namespace {

using kernels::KernelDescriptor;
using kernels::KernelParameter;

std::string countText(const std::optional<kernels::Index>& count) { return count ? fmt::format("{}", *count) : "-"; }

/// Draw, calibration and restriction in one line.
std::string traits(const KernelDescriptor& kernel) {
    std::string text = kernel.hasDraw ? "Random: one draw per seed. " : "";
    text += kernel.trained ? "Calibration fits it; without, it runs at its start. " : "";
    return text + (kernel.properties.restrictable ? "Can be restricted to a subset of dimensions."
                                                  : "Cannot be restricted to a subset of dimensions.");
}

std::string costText(const KernelDescriptor& kernel) {
    const kernels::KernelCost cost = kernels::kernelCost(commonSpec(kernel), kCommonHead);
    return fmt::format("Features {}, state entries {}, learned {}, operations per token {:.0f}.",
                       countText(cost.features), countText(cost.stateEntries), cost.learned, cost.flopsPerToken);
}

std::string parameterText(const KernelDescriptor& kernel, const KernelParameter& parameter) {
    return fmt::format("- `--{}-{}` {}: {}{}{}; {}{}\n", kernel.name, parameter.name,
                       valueText(parameter, parameter.defaultValue), parameter.title,
                       parameter.note.empty() ? "" : ", ", parameter.note, allowedText(parameter),
                       parameter.learned ? "; fitted by calibration" : "");
}

std::string kernelText(const KernelDescriptor& kernel) {
    std::string text = fmt::format("\n### {} (`{}`)\n\n    {}\n\n", kernel.title, kernel.name, kernel.formula);
    text += fmt::format("Source: {}. {}\n", kernel.source, traits(kernel));
    if (!kernel.limits.empty()) text += fmt::format("Limits: {}.\n", kernel.limits);
    text += costText(kernel) + "\n";
    if (!kernel.parameters.empty()) text += "\n";
    for (const KernelParameter& parameter : kernel.parameters) text += parameterText(kernel, parameter);
    return text;
}

}  // namespace

kernels::KernelSpec commonSpec(const KernelDescriptor& kernel) {
    analysis::LayerInfo layer;
    layer.nHeads = layer.nKvHeads = 1;
    layer.headDim = kCommonHead.headDim;
    layer.valueDim = kCommonHead.valueDim;
    std::vector<analysis::Warning> warnings;
    return analysis::KernelFactory().make(kernel.name, layer, kernels::HeadIndex{0}, 0, warnings);
}

std::string kernelReference() {
    std::string text = fmt::format(
        "## Kernels and their parameters\n\n"
        "Made by `dimscope-cli kernels --markdown` from the descriptors that the forms and the command line use too. "
        "An option\n"
        "stands with its default. Features, state, learned parameters and operations are those of the linear-time form "
        "for one\n"
        "query head of {} dimensions and {} positions; where there is none (-), pairs are counted.\n",
        kCommonHead.headDim, kCommonHead.rows);
    for (const KernelDescriptor& kernel : kernels::kernelCatalog()) text += kernelText(kernel);
    return text;
}

}  // namespace dimscope::app
