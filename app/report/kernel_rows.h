// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/kernel_comparison.h"
#include "app/core/workspace.h"
#include "app/report/dot_scale.h"

namespace dimscope::app {

/// One row of the kernel table.
struct KernelRow {
    std::string name = {}, title = {};
    double relMse = 0.0;              ///< of the head; NaN: undefined
    std::vector<double> seeds = {};   ///< single draws, one entry for a kernel without
    std::optional<double> gate = {};  ///< of the exact part; empty: none
    std::optional<double> layer = {}, afterWo = {};
    analysis::Index badRows = 0;
    std::string setting = {};
};

/// Exact attention first, then the kernels by error; beside an exact part its two rests among them. `layer` may be null
/// (not there yet).
std::vector<KernelRow> kernelRows(const analysis::ComparisonResult& head, const analysis::ComparisonResult* layer,
                                  HeadChoice choice, const Parameters& parameters,
                                  const analysis::HeadGrouping* grouping);

/// A kernel stands beside an exact part.
bool hasGates(const std::vector<KernelRow>& rows);

/// The same rows for a file, with a column of gates where there are any.
analysis::Table kernelRowsTable(const std::vector<KernelRow>& rows, const analysis::ComparisonResult& head,
                                HeadChoice choice);

/// The axis on which the errors of a head stand.
DotScale dotScale(const analysis::ComparisonResult& head, HeadChoice choice);

}  // namespace dimscope::app
