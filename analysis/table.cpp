// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/table_rows.h"

#include <fmt/format.h>

#include <cassert>
#include <cmath>

namespace dimscope::analysis {
namespace {

/// Three significant digits; 1.77 x 10^6 and 3.2 x 10^-5 outside a readable range.
std::string numberText(double value) {
    if (!std::isfinite(value)) return "undefined";
    const double size = std::abs(value);
    if (value == 0.0) return "0";
    if (size >= 1e5 || size < 1e-4) {
        const int power = static_cast<int>(std::floor(std::log10(size)));
        return fmt::format("{:.2f}e{}", value / std::pow(10.0, power), power);
    }
    const int decimals = std::max(0, 2 - static_cast<int>(std::floor(std::log10(size))));
    return fmt::format("{:.{}f}", value, decimals);
}

struct CellText {
    NumberStyle style;
    std::string operator()(std::monostate) const { return ""; }
    std::string operator()(std::int64_t value) const { return std::to_string(value); }
    std::string operator()(double value) const {
        if (style == NumberStyle::Plain || !std::isfinite(value)) return numberText(value);
        return numberText(100.0 * value) + " %";
    }
    std::string operator()(const std::string& value) const { return value; }
    std::string operator()(const std::vector<std::int64_t>& values) const {
        return fmt::format("{}", fmt::join(values, " "));
    }
};

}  // namespace

std::string displayText(const Cell& cell, NumberStyle style) { return std::visit(CellText{style}, cell); }

Column plainColumn(const char* name, const char* title) { return {name, title, "", NumberStyle::Plain, {}}; }
Column percentColumn(const char* name, const char* title) { return {name, title, "", NumberStyle::Percent, {}}; }

void appendRow(Table& table, const std::vector<Cell>& row) {
    assert(row.size() == table.columns.size());
    for (std::size_t c = 0; c < row.size(); ++c) table.columns[c].cells.push_back(row[c]);
}

}  // namespace dimscope::analysis
