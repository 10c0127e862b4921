// SPDX-License-Identifier: GPL-3.0-or-later
#include <nlohmann/json.hpp>

#include "io/provenance_json.h"
#include "io/table_text.h"

namespace dimscope::io {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

std::string jsonText(const analysis::Table& table) {
    Json columns = Json::array(), rows = Json::array();
    for (const analysis::Column& column : table.columns)
        columns.push_back({{"name", column.name}, {"title", column.title}, {"unit", column.unit}});
    for (std::size_t r = 0; r < table.rows(); ++r) {
        Json row = Json::object();
        for (const analysis::Column& column : table.columns)
            row[column.name] = std::visit(ValueJson{}, column.cells[r]);
        rows.push_back(std::move(row));
    }
    const Json document{{"name", table.name},
                        {"caption", table.caption},
                        {"columns", std::move(columns)},
                        {"rows", std::move(rows)},
                        {"provenance", provenanceJson(table.provenance)},
                        {"warnings", warningsJson(table.warnings)}};
    return document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace dimscope::io
