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

/// One of the options above, for a form.
struct ReadingField {
    const char* option;  ///< "--axes"
    std::string ReadingOptions::*value;
    const char* help;
    std::vector<const char*> choices;  ///< of an option that takes words; others than these where `open`
    bool open = true;
};
/// All but --map, --rotate and --allow.
std::vector<ReadingField> readingFields();

/// A word as a shell takes it. Bytes that are no printable text, as a name in a file may hold, stand as $'\x1b'.
std::string readingWord(const std::string& word);
/// The options that say the same as decisions.
ReadingOptions optionsFor(const io::ReadingDecisions& decisions);
/// As words of a command line that a shell takes as they are: "--axes 'prompt head pos dim'"; empty where nothing is
/// decided.
std::string readingArguments(const ReadingOptions& options);

/// Throws UsageError.
io::ReadingDecisions decisionsFrom(const ReadingOptions& options);

}  // namespace dimscope::app
