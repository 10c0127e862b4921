// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>

#include "analysis/figure.h"

namespace dimscope::io {

/// A figure as pgfplots source that compiles by itself (class standalone), with its data inline and its caption and
/// provenance as comments. With \usepackage{standalone} a paper can \input the same file.
/// Large heat maps are pooled to 128 cells a side, each showing its value of largest magnitude; a comment says so.
std::string pgfplotsText(const analysis::Figure& figure);

/// Writes a .tikz file, beside and renamed. Throws ArgumentError for another extension, FileError.
void writePgfplots(const analysis::Figure& figure, const std::filesystem::path& path);

}  // namespace dimscope::io
