// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "io/dump/reading_question.h"

namespace dimscope::io {

// Decisions and questions about a file as JSON: how they are remembered, and how they cross to another process.

nlohmann::ordered_json decisionsJson(const ReadingDecisions& decisions);
/// Throws FormatError for a document that decisionsJson would not write.
ReadingDecisions decisionsFromJson(const nlohmann::ordered_json& json);

/// A question with its refusal, as one line.
std::string ambiguityText(const AmbiguousReading& ambiguity);
/// Nothing where the text is not such a line. It may come from a process that a file took over: no candidate allows
/// data outside the file.
std::optional<AmbiguousReading> ambiguityFromText(std::string_view text);

}  // namespace dimscope::io
