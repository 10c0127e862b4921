// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "io/dump/reading_decisions.h"

namespace dimscope::app {

/// Writes every figure and table of a dump into a folder, without a window: overview, groups of every layer, kernel
/// errors pooled, and profile, grouping and kernels of the strongest head of each layer. Progress goes to stderr, the
/// folder to stdout. Returns the exit code: 1 and one line on stderr where the file cannot be used.
int exportDump(const QString& file, const QString& folder, const io::ReadingDecisions& decisions = {});

}  // namespace dimscope::app
