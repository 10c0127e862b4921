// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "analysis/provenance.h"

namespace dimscope::analysis {

/// Empty, integer, number, text or a list of integers (dimensions of a group).
using Cell = std::variant<std::monostate, std::int64_t, double, std::string, std::vector<std::int64_t>>;

enum class NumberStyle { Plain, Percent };

struct Column {
    std::string name;   ///< machine name, unique in the table: "rel_mse"
    std::string title;  ///< heading for people: "RelMSE"
    std::string unit;   ///< "" or "%", "ms", ...
    NumberStyle style = NumberStyle::Plain;
    std::vector<Cell> cells;
};

/// Named, typed columns of equal length.
struct Table {
    std::string name;     ///< file stem: "profile-L15-H4"
    std::string caption;  ///< what, layer, head, N, prompts
    std::vector<Column> columns;
    std::vector<Warning> warnings;
    Provenance provenance;

    std::size_t rows() const { return columns.empty() ? 0 : columns.front().cells.size(); }
    const Column* find(const std::string& column) const {
        for (const Column& c : columns)
            if (c.name == column) return &c;
        return nullptr;
    }
};

/// A number as it stands on the screen: three significant digits, percentages where the column says so,
/// "undefined" for NaN and infinities. Full precision is for files.
std::string displayText(const Cell& cell, NumberStyle style = NumberStyle::Plain);

}  // namespace dimscope::analysis
