// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "analysis/provenance.h"
#include "app/core/error_text.h"

namespace dimscope::app {

/// Keys stay in the order they are written in.
using Json = nlohmann::ordered_json;

/// One number: null where it is NaN, infinite or absent. Doubles read back equal.
Json numberJson(double value);
Json numberJson(const std::optional<double>& value);
/// Every entry as numberJson; the array keeps its length.
Json numbersJson(const std::vector<double>& values);

Json provenanceJson(const analysis::Provenance& provenance);
Json warningsJson(const std::vector<analysis::Warning>& warnings);
/// {"error": {"file", "object", "cause", "advice"}}; what is not known is "".
Json errorJson(const JobFailure& failure);

/// The document as it is printed and written: one line per entry of the outermost lists, bytes that are not UTF-8
/// replaced, a line end behind it.
std::string documentText(const Json& document);

}  // namespace dimscope::app
