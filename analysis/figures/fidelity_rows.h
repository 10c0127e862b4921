// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "analysis/fidelity/fidelity.h"
#include "analysis/figures/kernel_parts.h"

namespace dimscope::analysis {

/// RelMSE of a method before or after W_o; NaN where there is none.
double relMseOf(const MethodFidelity& method, bool after);

/// A panel of dot rows on a logarithmic RelMSE axis, one row per entry of a list, the first on top.
class FidelityRowsPanel {
public:
    /// `values`: all that should lie on the axis.
    FidelityRowsPanel(std::vector<std::string> titles, const std::vector<double>& values, const std::string& note);

    /// RelMSE of uniform and first_value as the result has them, and zero at 1.
    void addReferences(const FidelityResult& result, bool after);
    /// A mark in a row; at the edge, with its number, where it lies off the axis; words where it is undefined.
    void addPoint(std::size_t row, double value, const Ink& ink, double sizePt, const Hover& hover);
    /// A line between two values of a row, as far as the axis reaches; nothing where either is undefined.
    void addSpan(std::size_t row, double from, double to, const Ink& ink, double widthPt);
    Panel panel() const { return panel_; }

private:
    double height(std::size_t row) const { return static_cast<double>(titles_.size() - 1 - row); }
    std::vector<std::string> titles_;
    LogRange range_;
    Panel panel_;
};

}  // namespace dimscope::analysis
