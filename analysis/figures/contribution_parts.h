// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "analysis/contribution/stability.h"
#include "analysis/figure.h"

namespace dimscope::analysis {

// Pieces that figures of concentration and stability share.

inline constexpr const char* kNoProfileText = "values of q or k are NaN or infinite: this head has no profile";
inline constexpr const char* kNoContributionText = "χ is zero in every dimension: there are no shares";

/// Frame of a figure of one head: name, title, caption, warnings, provenance.
Figure contributionFrame(const std::string& stem, const std::string& title, const std::string& what, LayerIndex layer,
                         HeadIndex head, const std::vector<Warning>& warnings, const Provenance& provenance);
/// Names of the two parts of the prompts: "calibration prompts" and "other prompts", or the halves.
std::pair<std::string, std::string> partNames(const StabilityResult& result);
/// Why a figure of the two parts has no marks; empty where it has some.
std::string whyNoParts(const StabilityResult& result, const HeadStability& head);

}  // namespace dimscope::analysis
