// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/kernel_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "app/cli/lists.h"
#include "kernels/error.h"
#include "kernels/kernel_catalog.h"

namespace dimscope::app {
namespace {

using kernels::KernelDescriptor;
using kernels::KernelParameter;

std::string descriptionOf(const KernelDescriptor& kernel, const KernelParameter& parameter) {
    return fmt::format("{}: {}{}{}", kernel.title, parameter.title, parameter.note.empty() ? "" : ", ", parameter.note);
}

std::string rangeOf(const KernelParameter& parameter) {
    if (!parameter.choices.empty()) return fmt::format("{{{}}}", fmt::join(parameter.choices, ","));
    return fmt::format("{}..{}", valueText(parameter, parameter.least), valueText(parameter, parameter.most));
}

void addOption(CLI::App& verb, Options& options, const KernelDescriptor& kernel, const KernelParameter& parameter) {
    const std::string name = fmt::format("--{}-{}", kernel.name, parameter.name);
    const auto take = [&settings = options.settings, name, of = kernel.name,
                       which = parameter.name](const std::string& text) {
        try {
            settings.setText(of, which, text);
        } catch (const kernels::ArgumentError& error) {
            throw UsageError(name + ": " + error.what());
        }
    };
    verb.add_option_function<std::string>(name, take, descriptionOf(kernel, parameter))
        ->type_name(rangeOf(parameter))
        ->default_str(valueText(parameter, parameter.defaultValue))
        ->group("Kernel parameters");
}

}  // namespace

void addKernelParameterOptions(CLI::App& verb, Options& options, const std::vector<std::string>& kernels,
                               bool withLearned) {
    for (const KernelDescriptor& kernel : kernels::kernelCatalog()) {
        if (std::find(kernels.begin(), kernels.end(), kernel.name) == kernels.end()) continue;
        for (const KernelParameter& parameter : kernel.parameters)
            if (withLearned || !parameter.learned) addOption(verb, options, kernel, parameter);
    }
}

std::vector<std::string> kernelNames() {
    std::vector<std::string> names;
    for (const KernelDescriptor& kernel : kernels::kernelCatalog()) names.push_back(kernel.name);
    return names;
}

std::vector<std::string> kernelsFrom(const Options& options) {
    std::vector<std::string> known = kernelNames();
    const auto names = parseNames("--kernels", options.kernels);
    if (!names) {
        std::erase(known, "softmax");
        return known;
    }
    for (const std::string& name : *names)
        if (!kernels::findKernel(name))
            throw UsageError(
                fmt::format("--kernels: there is no kernel '{}'; there are {}", name, fmt::join(known, ", ")));
    return *names;
}

}  // namespace dimscope::app
