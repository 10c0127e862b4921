// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/document.h"

#include <cmath>

namespace dimscope::app {
namespace {

Json valueJson(const analysis::ParameterValue& value) {
    return std::visit(
        [](const auto& v) -> Json {
            if constexpr (std::is_same_v<std::decay_t<decltype(v)>, double>) return numberJson(v);
            return v;
        },
        value);
}

Json namedValuesJson(const std::vector<std::pair<std::string, analysis::ParameterValue>>& values) {
    Json object = Json::object();
    for (const auto& [name, value] : values) object[name] = valueJson(value);
    return object;
}

std::string lineOf(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace

Json numberJson(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json numberJson(const std::optional<double>& value) { return value ? numberJson(*value) : Json(nullptr); }

Json numbersJson(const std::vector<double>& values) {
    Json array = Json::array();
    for (const double value : values) array.push_back(numberJson(value));
    return array;
}

Json provenanceJson(const analysis::Provenance& provenance) {
    return {{"program", provenance.program},
            {"version", provenance.version},
            {"verb", provenance.verb},
            {"backend", provenance.backend},
            {"device", provenance.device},
            {"seed", provenance.seed},
            {"selection", namedValuesJson(provenance.selection)},
            {"parameters", namedValuesJson(provenance.parameters)},
            {"dump",
             {{"name", provenance.dump.name}, {"size", provenance.dump.sizeBytes}, {"sha256", provenance.dump.sha256}}},
            {"started", provenance.started},
            {"elapsed", numberJson(provenance.elapsedSeconds)}};
}

Json warningsJson(const std::vector<analysis::Warning>& warnings) {
    Json array = Json::array();
    for (const analysis::Warning& warning : warnings)
        array.push_back({{"code", warning.code}, {"place", warning.place}, {"text", warning.text}});
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
