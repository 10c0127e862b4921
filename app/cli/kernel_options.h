// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "app/cli/options.h"

namespace dimscope::app {

/// `--KERNEL-PARAMETER VALUE` for every parameter that the catalogue has of these kernels, in a help group of their
/// own. `withLearned`: also what calibration fits.
void addKernelParameterOptions(CLI::App& verb, Options& options, const std::vector<std::string>& kernels,
                               bool withLearned);

/// Every kernel of the catalogue.
std::vector<std::string> kernelNames();

/// Kernels that `--kernels` names; "all" is every kernel but exact attention, which stands beside them anyway. Throws
/// UsageError.
std::vector<std::string> kernelsFrom(const Options& options);

}  // namespace dimscope::app
