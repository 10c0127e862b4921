// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/document.h"

namespace dimscope::app {
namespace {

std::string lineOf(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace

Json numberJson(const std::optional<double>& value) { return value ? numberJson(*value) : Json(nullptr); }

Json numbersJson(const std::vector<double>& values) {
    Json array = Json::array();
    for (const double value : values) array.push_back(numberJson(value));
    return array;
}

Json errorJson(const JobFailure& failure) {
    const kernels::FormatError::Parts parts =
        failure.parts.value_or(kernels::FormatError::Parts{"", "", failure.text, ""});
    return {
        {"error", {{"file", parts.file}, {"object", parts.object}, {"cause", parts.cause}, {"advice", parts.advice}}}};
}

std::string documentText(const Json& document) {
    std::string text = "{";
    const char* separator = "\n";
    for (const auto& [key, value] : document.items()) {
        text += separator + lineOf(key) + ": ";
        separator = ",\n";
        if (!value.is_array() || value.empty()) {
            text += lineOf(value);
            continue;
        }
        const char* before = "[\n  ";
        for (const Json& entry : value) {
            text += before + lineOf(entry);
            before = ",\n  ";
        }
        text += "]";
    }
    return text + "\n}\n";
}

}  // namespace dimscope::app
