// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/text_table.h"

#include <algorithm>
#include <cassert>

namespace dimscope::app {
namespace {

/// Characters, not bytes: continuation bytes of UTF-8 take no room.
std::size_t widthOf(const std::string& text) {
    return static_cast<std::size_t>(std::count_if(
        text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

bool isText(const analysis::Column& column) {
    return std::any_of(column.cells.begin(), column.cells.end(), [](const analysis::Cell& cell) {
        return std::holds_alternative<std::string>(cell) || std::holds_alternative<std::vector<std::int64_t>>(cell);
    });
}

/// Title and cells of one column, all equally wide.
std::vector<std::string> paddedColumn(const analysis::Column& column) {
    std::vector<std::string> lines{column.unit.empty() ? column.title : column.title + " [" + column.unit + "]"};
    for (const analysis::Cell& cell : column.cells) lines.push_back(analysis::displayText(cell, column.style));
    std::size_t width = 0;
    for (const std::string& line : lines) width = std::max(width, widthOf(line));
    const bool left = isText(column);
    for (std::string& line : lines) {
        const std::string padding(width - widthOf(line), ' ');
        line = left ? line + padding : padding + line;
    }
    return lines;
}

}  // namespace

std::string alignedText(const analysis::Table& table) {
    std::vector<std::string> lines(table.rows() + 1);
    for (const analysis::Column& column : table.columns) {
        const std::vector<std::string> cells = paddedColumn(column);
        for (std::size_t r = 0; r < lines.size(); ++r) lines[r] += (lines[r].empty() ? "" : "  ") + cells[r];
    }
    std::string text;
    for (std::string& line : lines) {
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    return text;
}

analysis::Column column(std::string name, std::string title, analysis::NumberStyle style) {
    analysis::Column made;
    made.name = std::move(name);
    made.title = std::move(title);
    made.style = style;
    return made;
}

void addRow(analysis::Table& table, std::vector<analysis::Cell> cells) {
    assert(cells.size() == table.columns.size());
    for (std::size_t c = 0; c < cells.size(); ++c) table.columns[c].cells.push_back(std::move(cells[c]));
}

}  // namespace dimscope::app
