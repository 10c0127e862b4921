// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <cmath>

#include "io/table_text.h"

namespace dimscope::io {
namespace {

/// "# " before each line; an empty text gives nothing.
std::string commentLines(const std::string& text) {
    if (text.empty()) return "";
    std::string out = "# ";
    for (const char c : text) {
        if (c == '\r') continue;
        out += c == '\n' ? std::string("\n# ") : std::string(1, c);
    }
    return out + "\n";
}

/// RFC 4180, and quotes also where a reader would cut spaces or take the line for a comment.
std::string field(const std::string& text) {
    const bool plain = text.find_first_of(",;\"\n\r\t#") == std::string::npos;
    if (plain && (text.empty() || (text.front() != ' ' && text.back() != ' '))) return text;
    std::string quoted = "\"";
    for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + "\"";
}

struct FieldText {
    std::string operator()(std::monostate) const { return ""; }
    std::string operator()(std::int64_t value) const { return std::to_string(value); }
    std::string operator()(double value) const { return std::isfinite(value) ? fmt::format("{}", value) : ""; }
    std::string operator()(const std::string& value) const { return field(value); }
    std::string operator()(const std::vector<std::int64_t>& values) const {
        return fmt::format("{}", fmt::join(values, " "));
    }
};

}  // namespace

std::string csvText(const analysis::Table& table) {
    std::string out = commentLines(table.caption) + commentLines(analysis::provenanceLine(table.provenance));
    for (const analysis::Warning& warning : table.warnings)
        out += commentLines(fmt::format("warning {}: {}: {}", warning.code, warning.place, warning.text));
    const auto line = [&](auto textOf) {
        const char* separator = "";
        for (const analysis::Column& column : table.columns) {
            out += separator + textOf(column);
            separator = ",";
        }
        out += "\n";
    };
    line([](const analysis::Column& column) { return field(column.name); });
    for (std::size_t r = 0; r < table.rows(); ++r)
        line([r](const analysis::Column& column) { return std::visit(FieldText{}, column.cells[r]); });
    return out;
}

}  // namespace dimscope::io
