// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "analysis/table.h"

namespace dimscope::io {

// One text format each; table_writer.h is the door.

std::string csvText(const analysis::Table& table);
std::string markdownText(const analysis::Table& table);
std::string latexTableText(const analysis::Table& table);
std::string jsonText(const analysis::Table& table);

/// "RelMSE (%)": the heading of a column for people.
std::string headingOf(const analysis::Column& column);

}  // namespace dimscope::io
