// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/kernel_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "kernels/error.h"
#include "kernels/kernel_catalog.h"

namespace dimscope::analysis {
namespace {

using kernels::ArgumentError;
using kernels::KernelParameter;

const KernelParameter& parameterOf(const std::string& kernel, const std::string& parameter) {
    const KernelParameter* found = kernels::findParameter(kernel, parameter);
    if (!found) throw ArgumentError(fmt::format("kernel '{}' has no parameter '{}'", kernel, parameter));
    return *found;
}

[[noreturn]] void refuse(const std::string& kernel, const KernelParameter& parameter, std::string_view got) {
    throw ArgumentError(fmt::format("{} {}: '{}' is not {}", kernel, parameter.name, got, allowedText(parameter)));
}

}  // namespace

void KernelSettings::set(const std::string& kernel, const std::string& parameter, double value) {
    const KernelParameter& descriptor = parameterOf(kernel, parameter);
    const bool whole = !descriptor.integer || value == std::floor(value);
    if (!(value >= descriptor.least && value <= descriptor.most) || !whole)
        refuse(kernel, descriptor, fmt::format("{}", value));
    values_[{kernel, parameter}] = value;
}

void KernelSettings::setText(const std::string& kernel, const std::string& parameter, std::string_view text) {
    const KernelParameter& descriptor = parameterOf(kernel, parameter);
    if (!descriptor.choices.empty()) {
        const auto found = std::find(descriptor.choices.begin(), descriptor.choices.end(), text);
        if (found == descriptor.choices.end()) refuse(kernel, descriptor, text);
        return set(kernel, parameter, static_cast<double>(found - descriptor.choices.begin()));
    }
    double value = 0.0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || stop != text.data() + text.size()) refuse(kernel, descriptor, text);
    set(kernel, parameter, value);
}

void KernelSettings::clear(const std::string& kernel, const std::string& parameter) {
    values_.erase({kernel, parameter});
}

double KernelSettings::value(const std::string& kernel, const std::string& parameter) const {
    const auto found = values_.find({kernel, parameter});
    return found != values_.end() ? found->second : parameterOf(kernel, parameter).defaultValue;
}

const std::string& KernelSettings::choice(const std::string& kernel, const std::string& parameter) const {
    return parameterOf(kernel, parameter).choices.at(static_cast<std::size_t>(value(kernel, parameter)));
}

bool KernelSettings::isGiven(const std::string& kernel, const std::string& parameter) const {
    return values_.count({kernel, parameter}) > 0;
}

KernelSettings KernelSettings::of(const std::vector<std::string>& kernels) const {
    KernelSettings some = *this;
    std::erase_if(some.values_, [&](const auto& entry) {
        return std::find(kernels.begin(), kernels.end(), entry.first.first) == kernels.end();
    });
    return some;
}

std::vector<KernelSettings::Entry> KernelSettings::given() const {
    std::vector<Entry> entries;
    for (const auto& [name, value] : values_) entries.push_back({name.first, name.second, value});
    return entries;
}

std::vector<KernelSettings::Entry> KernelSettings::changed() const {
    std::vector<Entry> entries = given();
    std::erase_if(entries, [](const Entry& entry) {
        return entry.value == parameterOf(entry.kernel, entry.parameter).defaultValue;
    });
    return entries;
}

std::string settingText(const KernelSettings::Entry& entry) {
    return fmt::format("{}-{} = {}", entry.kernel, entry.parameter,
                       valueText(parameterOf(entry.kernel, entry.parameter), entry.value));
}

void noteSettings(const KernelSettings& settings, const std::vector<std::string>& kernels, Provenance& provenance,
                  std::vector<Warning>& warnings) {
    const auto used = [&](const KernelSettings::Entry& entry) {
        return std::find(kernels.begin(), kernels.end(), entry.kernel) != kernels.end();
    };
    std::vector<std::string> changed;
    for (const KernelSettings::Entry& entry : settings.changed())
        if (used(entry)) changed.push_back(settingText(entry));
    if (!changed.empty()) provenance.parameters.emplace_back("kernel_settings", changed);
    for (const KernelSettings::Entry& entry : settings.given())
        if (!used(entry))
            warnings.push_back(
                {"setting-unused", entry.kernel,
                 fmt::format("{} has no effect: the kernel is not among those of this run", settingText(entry))});
}

}  // namespace dimscope::analysis
