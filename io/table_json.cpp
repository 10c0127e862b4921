// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <nlohmann/json.hpp>

#include "io/table_text.h"

namespace dimscope::io {
namespace {

using Json = nlohmann::ordered_json;

Json numberJson(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

struct ValueJson {
    Json operator()(std::monostate) const { return nullptr; }
    Json operator()(double value) const { return numberJson(value); }
    template <class T>
    Json operator()(const T& value) const {
        return value;
    }
};

Json namedValues(const std::vector<std::pair<std::string, analysis::ParameterValue>>& values) {
    Json object = Json::object();
    for (const auto& [name, value] : values) object[name] = std::visit(ValueJson{}, value);
    return object;
}

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

}  // namespace

std::string jsonText(const analysis::Table& table) {
    Json columns = Json::array(), rows = Json::array(), warnings = Json::array();
    for (const analysis::Column& column : table.columns)
        columns.push_back({{"name", column.name}, {"title", column.title}, {"unit", column.unit}});
    for (std::size_t r = 0; r < table.rows(); ++r) {
        Json row = Json::object();
        for (const analysis::Column& column : table.columns)
            row[column.name] = std::visit(ValueJson{}, column.cells[r]);
        rows.push_back(std::move(row));
    }
    for (const analysis::Warning& warning : table.warnings)
        warnings.push_back({{"code", warning.code}, {"place", warning.place}, {"text", warning.text}});
    const Json document{{"name", table.name},
                        {"caption", table.caption},
                        {"columns", std::move(columns)},
                        {"rows", std::move(rows)},
                        {"provenance", provenanceJson(table.provenance)},
                        {"warnings", std::move(warnings)}};
    return document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace dimscope::io
