// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/table.h"

namespace dimscope::analysis {

// How a table is filled: named columns first, then row by row.

Column plainColumn(const char* name, const char* title);
Column percentColumn(const char* name, const char* title);

/// One cell per column.
void appendRow(Table& table, const std::vector<Cell>& row);

}  // namespace dimscope::analysis
