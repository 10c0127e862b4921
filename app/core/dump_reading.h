// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <variant>

#include "analysis/head_source.h"
#include "app/core/reading_memory.h"
#include "io/dump/reading_question.h"

namespace dimscope::app {

/// Who decided how a file is read.
enum class DecidedBy { Nobody, Person, Memory, CommandLine };

/// A file to open, and what is decided about it. `by` Nobody: what is remembered about the file counts. Person: the
/// decisions are remembered once the file is open.
struct ReadingRequest {
    std::filesystem::path path;
    io::ReadingDecisions decisions;
    DecidedBy by = DecidedBy::Nobody;
    std::string former;  ///< identity of the file's reading so far, where a person changes it; else empty
};

struct OpenedDump {
    std::shared_ptr<analysis::HeadSource> source;
    io::ReadingDecisions decisions;
    DecidedBy by = DecidedBy::Nobody;
    std::string complaint;  ///< about the memory: one sentence; empty: none
};

/// The file leaves a choice.
struct OpenQuestion {
    ReadingRequest request;  ///< what was decided so far
    io::ReadingQuestion question;
    std::string complaint;
};

using ReadingOutcome = std::variant<OpenedDump, OpenQuestion>;

/// Opens a dump as it was decided, or finds out what is left to decide. A memory that cannot be used is a complaint,
/// not a failure. Throws what openDumpSafely throws but for questions.
ReadingOutcome readDump(const ReadingRequest& request, const ReadingMemory& memory, const kernels::RunControl& control);

}  // namespace dimscope::app
