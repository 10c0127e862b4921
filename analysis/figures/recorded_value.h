// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "analysis/provenance.h"

namespace dimscope::analysis {

/// What a provenance's selection or parameters hold under a name; null where it is not there or of another type.
template <class T>
const T* recordedValue(const std::vector<std::pair<std::string, ParameterValue>>& values, std::string_view name) {
    for (const auto& [known, value] : values)
        if (known == name) return std::get_if<T>(&value);
    return nullptr;
}

}  // namespace dimscope::analysis
