// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/table_writer.h"

#include "io/atomic_file.h"
#include "io/table_text.h"
#include "kernels/error.h"

namespace dimscope::io {
namespace {

TableFormat formatOf(const std::filesystem::path& path) {
    const std::string extension = path.extension().string();
    if (extension == ".csv") return TableFormat::Csv;
    if (extension == ".md") return TableFormat::Markdown;
    if (extension == ".tex") return TableFormat::Latex;
    if (extension == ".json") return TableFormat::Json;
    throw kernels::ArgumentError("'" + path.string() + "': a table is written as .csv, .md, .tex or .json, not '" +
                                 extension + "'");
}

/// A short column would end in cells of another table's memory.
void checkColumns(const analysis::Table& table) {
    for (const analysis::Column& column : table.columns)
        if (column.cells.size() != table.rows())
            throw kernels::ShapeError("table '" + table.name + "': column '" + column.name + "' has " +
                                      std::to_string(column.cells.size()) + " cells, expected " +
                                      std::to_string(table.rows()));
}

}  // namespace

std::string headingOf(const analysis::Column& column) {
    const std::string& title = column.title.empty() ? column.name : column.title;
    // The cells of a percentage carry their sign themselves.
    const bool unit = !column.unit.empty() && column.style == analysis::NumberStyle::Plain;
    return unit ? title + " (" + column.unit + ")" : title;
}

std::string tableText(const analysis::Table& table, TableFormat format) {
    checkColumns(table);
    switch (format) {
        case TableFormat::Csv: return csvText(table);
        case TableFormat::Markdown: return markdownText(table);
        case TableFormat::Latex: return latexTableText(table);
        case TableFormat::Json: break;
    }
    return jsonText(table);
}

void writeTable(const analysis::Table& table, const std::filesystem::path& path) {
    writeFileAtomically(path, tableText(table, formatOf(path)));
}

}  // namespace dimscope::io
