// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <vector>

#include "analysis/provenance.h"

namespace dimscope::analysis {

/// Adds what is not there yet: heads, prompts and parts of a run warn of the same.
inline void addOnce(const Warning& warning, std::vector<Warning>& warnings) {
    if (std::find(warnings.begin(), warnings.end(), warning) == warnings.end()) warnings.push_back(warning);
}
inline void addOnce(const std::vector<Warning>& more, std::vector<Warning>& warnings) {
    for (const Warning& warning : more) addOnce(warning, warnings);
}

}  // namespace dimscope::analysis
