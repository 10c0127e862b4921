// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>

#include "io/latex_text.h"
#include "io/table_text.h"

namespace dimscope::io {
namespace {

bool isNumber(const analysis::Cell& cell) {
    return std::holds_alternative<double>(cell) || std::holds_alternative<std::int64_t>(cell);
}

/// Numbers to the right, text and lists to the left.
char alignment(const analysis::Column& column) {
    const bool number = std::all_of(column.cells.begin(), column.cells.end(), [](const analysis::Cell& cell) {
        return isNumber(cell) || std::holds_alternative<std::monostate>(cell);
    });
    return number ? 'r' : 'l';
}

std::string cellText(const analysis::Column& column, std::size_t row) {
    const analysis::Cell& cell = column.cells[row];
    const std::string text = analysis::displayText(cell, column.style);
    return isNumber(cell) ? latexNumber(text) : latexText(text);
}

}  // namespace

std::string latexTableText(const analysis::Table& table) {
    std::string out =
        latexComment("Needs \\usepackage{booktabs}.") + latexComment(analysis::provenanceLine(table.provenance));
    for (const analysis::Warning& warning : table.warnings)
        out += latexComment(fmt::format("Warning: {}: {}", warning.place, warning.text));
    std::string columns;
    for (const analysis::Column& column : table.columns) columns += alignment(column);
    out += "\\begin{table}\n\\centering\n";
    if (!table.caption.empty()) out += "\\caption{" + latexText(table.caption) + "}\n";
    out += "\\begin{tabular}{" + columns + "}\n\\toprule\n";
    const auto line = [&](auto textOf) {
        const char* separator = "";
        for (const analysis::Column& column : table.columns) {
            out += separator + textOf(column);
            separator = " & ";
        }
        // {} keeps a "[" or "*" that begins the next row from being read as an argument of the line break.
        out += " \\\\{}\n";
    };
    line([](const analysis::Column& column) { return latexText(headingOf(column)); });
    out += "\\midrule\n";
    for (std::size_t r = 0; r < table.rows(); ++r)
        line([r](const analysis::Column& column) { return cellText(column, r); });
    return out + "\\bottomrule\n\\end{tabular}\n\\end{table}\n";
}

}  // namespace dimscope::io
