// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/intervention/intervention.h"
#include "app/cli/inputs.h"
#include "app/cli/options.h"

namespace dimscope::app {

void addInterventionOptions(CLI::App& verb, Options& options);

/// What the command line says by itself. Throws UsageError.
analysis::InterventionParams interventionFrom(const Options& options);

/// What it says about a dump: selection, prompts, positions, seeds of the parameter file, and a protocol's settings.
/// Adds what the dump cannot meet to the warnings. Throws UsageError, ArgumentError, FormatError.
void completeFrom(const Options& options, const Inputs& inputs, const analysis::KernelFactory& factory,
                  analysis::InterventionParams& params, std::vector<analysis::Warning>& warnings);

}  // namespace dimscope::app
