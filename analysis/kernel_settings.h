// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/provenance.h"

namespace dimscope::analysis {

/// What a person may set about kernels: values by kernel and parameter, as the descriptors of the catalogue have them.
/// Where a parameter file says something else about the same parameter, the file wins.
class KernelSettings {
public:
    struct Entry {
        std::string kernel, parameter;
        double value = 0.0;
    };

    /// A number, or the place of a choice in its list. Throws ArgumentError naming kernel, parameter and what is
    /// allowed.
    void set(const std::string& kernel, const std::string& parameter, double value);
    /// The same from text: a number, or the name of a choice.
    void setText(const std::string& kernel, const std::string& parameter, std::string_view text);
    /// Back to the default, as if it had never been given.
    void clear(const std::string& kernel, const std::string& parameter);

    /// The value given, else the default. Throws ArgumentError for what the catalogue lacks.
    double value(const std::string& kernel, const std::string& parameter) const;
    /// Name of the choice.
    const std::string& choice(const std::string& kernel, const std::string& parameter) const;
    bool isGiven(const std::string& kernel, const std::string& parameter) const;
    /// Those of these kernels.
    KernelSettings of(const std::vector<std::string>& kernels) const;
    std::vector<Entry> given() const;    ///< by kernel and parameter
    std::vector<Entry> changed() const;  ///< of those, the ones that differ from their default

    friend bool operator==(const KernelSettings&, const KernelSettings&) = default;

private:
    std::map<std::pair<std::string, std::string>, double> values_;
};

/// "power-p = 4", "dijiang-orientation = forward".
std::string settingText(const KernelSettings::Entry& entry);

/// Puts what differs from the defaults into a result's provenance; a setting of a kernel that is not among `kernels` is
/// a warning.
void noteSettings(const KernelSettings& settings, const std::vector<std::string>& kernels, Provenance& provenance,
                  std::vector<Warning>& warnings);

}  // namespace dimscope::analysis
