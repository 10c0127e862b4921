// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "analysis/table.h"

namespace dimscope::app {

/// A table for a terminal: titles, columns two spaces apart, numbers to the right, text to the left; display precision.
std::string alignedText(const analysis::Table& table);

/// An empty column.
analysis::Column column(std::string name, std::string title,
                        analysis::NumberStyle style = analysis::NumberStyle::Plain);
/// One cell per column.
void addRow(analysis::Table& table, std::vector<analysis::Cell> cells);

}  // namespace dimscope::app
