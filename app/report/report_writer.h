// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "app/report/report.h"

namespace dimscope::app {

/// Draws a figure as an SVG file on the caller's thread and gives what writes it, for any thread.
using FigureDrawer = std::function<std::function<void()>(const analysis::Figure&, const std::filesystem::path&)>;
using ReportProgress = std::function<void(std::size_t step, std::size_t steps, const std::string& title)>;

/// Writes a report into a folder, made where it is missing: index.html, figures/NAME.svg (with a drawer) and .tikz,
/// tables/NAME.csv, .md and .tex, and per section NAME.json with findings, warnings and provenance. The page is written
/// last. While one section is drawn and written, the next is computed. Returns the files, sorted.
/// Throws FileError, Cancelled.
std::vector<std::filesystem::path> writeReport(Report& report, const std::filesystem::path& folder,
                                               const FigureDrawer& draw, const ReportProgress& progress,
                                               const RunControl& control);

}  // namespace dimscope::app
