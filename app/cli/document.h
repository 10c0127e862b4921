// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/core/error_text.h"
#include "io/provenance_json.h"

namespace dimscope::app {

/// Keys stay in the order they are written in.
using Json = nlohmann::ordered_json;

using io::numberJson;
using io::provenanceJson;
using io::warningsJson;

/// null where it is absent, too.
Json numberJson(const std::optional<double>& value);
/// Every entry as numberJson; the array keeps its length.
Json numbersJson(const std::vector<double>& values);

/// {"error": {"file", "object", "cause", "advice"}}; what is not known is "".
Json errorJson(const JobFailure& failure);

/// The document as it is printed and written: one line per entry of the outermost lists, bytes that are not UTF-8
/// replaced, a line end behind it.
std::string documentText(const Json& document);

}  // namespace dimscope::app
