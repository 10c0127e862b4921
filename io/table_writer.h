// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>

#include "analysis/table.h"

namespace dimscope::io {

enum class TableFormat { Csv, Markdown, Latex, Json };

/// The whole table as text, with its caption and provenance (CSV: leading "# " lines; Markdown: a line below;
/// LaTeX: booktabs, with "%" lines and everything escaped; JSON: {"name", "caption", "columns", "rows", "provenance",
/// "warnings"}). CSV and JSON carry full precision (numbers read back equal, undefined as empty or null); Markdown and
/// LaTeX display precision.
std::string tableText(const analysis::Table& table, TableFormat format);

/// By extension: .csv, .md, .tex, .json. Written beside and renamed. Throws ArgumentError for another extension,
/// FileError.
void writeTable(const analysis::Table& table, const std::filesystem::path& path);

}  // namespace dimscope::io
