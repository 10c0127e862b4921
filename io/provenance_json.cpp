// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/provenance_json.h"

#include <cmath>

namespace dimscope::io {
namespace {

using Json = nlohmann::ordered_json;

Json namedValues(const std::vector<std::pair<std::string, analysis::ParameterValue>>& values) {
    Json object = Json::object();
    for (const auto& [name, value] : values) object[name] = std::visit(ValueJson{}, value);
    return object;
}

}  // namespace

Json numberJson(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json provenanceJson(const analysis::Provenance& provenance) {
    const analysis::DumpIdentity& dump = provenance.dump;
    return {{"program", provenance.program},
            {"version", provenance.version},
            {"verb", provenance.verb},
            {"backend", provenance.backend},
            {"device", provenance.device},
            {"seed", provenance.seed},
            {"selection", namedValues(provenance.selection)},
            {"parameters", namedValues(provenance.parameters)},
            {"dump", {{"name", dump.name}, {"size", dump.sizeBytes}, {"sha256", dump.sha256}}},
            {"started", provenance.started},
            {"elapsed", numberJson(provenance.elapsedSeconds)}};
}

Json warningsJson(const std::vector<analysis::Warning>& warnings) {
    Json array = Json::array();
    for (const analysis::Warning& warning : warnings)
        array.push_back({{"code", warning.code}, {"place", warning.place}, {"text", warning.text}});
    return array;
}

}  // namespace dimscope::io
