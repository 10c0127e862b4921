// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "io/dump/reading_decisions.h"

namespace dimscope::app {

/// What the command line decides about the reading of a dump (formats.md, section 4), as it says it.
struct ReadingOptions {
    std::vector<std::string> map;
    std::string axes, encoding, scale, scaleFactor, gqa, align, rope, nHeads, nKvHeads, headDim, ropeTheta, ropeLayout,
        rotaryDim;
    std::string valid, allow;
    bool rotate = false;
};

void addReadingOptions(CLI::App& verb, ReadingOptions& options);

/// Throws UsageError.
io::ReadingDecisions decisionsFrom(const ReadingOptions& options);

}  // namespace dimscope::app
