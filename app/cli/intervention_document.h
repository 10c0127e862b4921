// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "analysis/intervention/intervention.h"
#include "app/cli/document.h"

namespace dimscope::app {

/// The keys of `intervene` (cli.md), but for provenance and warnings.
Json interventionDocument(const analysis::InterventionResult& result);

/// The tables for a person.
std::string interventionText(const analysis::InterventionResult& result);

}  // namespace dimscope::app
