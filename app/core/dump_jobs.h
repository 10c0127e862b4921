// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "app/core/layer_jobs.h"
#include "app/core/workspace.h"

namespace dimscope::app {

// Work on all layers of a dump at once, for exports: results of layers joined, provenance of the first one.

/// Throws what profileLayer throws, at the first layer that cannot be profiled.
analysis::ProfileResult profileDump(const JobContext& context, const Workspace& workspace, const RunControl& control);

/// Errors of every kernel on every head, pooled per layer and over all.
analysis::ComparisonResult compareDump(const JobContext& context, const Workspace& workspace,
                                       const RunControl& control);

/// The head of a layer with the largest top-5 share; null where no head has a profile.
const analysis::HeadProfile* strongestHead(const analysis::ProfileResult& profile, LayerIndex layer);

}  // namespace dimscope::app
