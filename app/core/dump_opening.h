// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "analysis/head_source.h"
#include "io/dump/reading_decisions.h"

namespace dimscope::app {

/// A dump may come from a stranger, and the HDF5 library crashes, hangs or takes all memory on some damaged files. So
/// the program starts itself once more, with limits of time and memory, and lets that process open the file first: what
/// happens to it there is a message here.

/// To be called first in main: does the first look and returns the exit code where this process was started for it;
/// else allows openDumpSafely to start such a process.
std::optional<int> serveFirstLook(int argumentCount, char** arguments);

/// Opens a dump after a first look (none in programs that did not call serveFirstLook). Throws FileError where the
/// first look ended by a crash, a time-out (8 s) or for lack of memory, and what io::openDump throws, a question
/// (io::AmbiguousReading) too; Cancelled.
std::shared_ptr<analysis::HeadSource> openDumpSafely(const std::filesystem::path& path,
                                                     const io::ReadingDecisions& decisions = {},
                                                     const kernels::RunControl& control = {});

}  // namespace dimscope::app
