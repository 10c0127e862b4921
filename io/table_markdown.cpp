// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "io/table_text.h"

namespace dimscope::io {
namespace {

/// One line in which nothing is read as markup.
std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (std::string_view("\\|*_`<>[]#~").find(c) != std::string_view::npos) out += '\\';
        if (c != '\r') out += c == '\n' ? ' ' : c;
    }
    return out;
}

bool isText(const analysis::Column& column) {
    return std::any_of(column.cells.begin(), column.cells.end(),
                       [](const analysis::Cell& cell) { return std::holds_alternative<std::string>(cell); });
}

}  // namespace

std::string markdownText(const analysis::Table& table) {
    std::string out = table.caption.empty() ? "" : "**" + escaped(table.caption) + "**\n\n";
    const auto line = [&](auto textOf) {
        out += "|";
        for (const analysis::Column& column : table.columns) out += " " + textOf(column) + " |";
        out += "\n";
    };
    line([](const analysis::Column& column) { return escaped(headingOf(column)); });
    line([](const analysis::Column& column) { return std::string(isText(column) ? "---" : "---:"); });
    for (std::size_t r = 0; r < table.rows(); ++r)
        line([r](const analysis::Column& column) {
            return escaped(analysis::displayText(column.cells[r], column.style));
        });
    out += "\n" + escaped(analysis::provenanceLine(table.provenance)) + "\n";
    for (const analysis::Warning& warning : table.warnings)
        out += fmt::format("\nWarning: {}{}{}\n", escaped(warning.place), warning.place.empty() ? "" : ": ",
                           escaped(warning.text));
    return out;
}

}  // namespace dimscope::io
