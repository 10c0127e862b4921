// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "io/dump/reading_decisions.h"

namespace dimscope::app {

/// Writes the report of a dump with its figures drawn into a folder, without a window. Progress goes to stderr, the
/// page to stdout. Returns the exit code: 1 and one line on stderr where the file cannot be used.
int reportDump(const QString& file, const QString& folder, const io::ReadingDecisions& decisions = {});

}  // namespace dimscope::app
