// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/report/report.h"

namespace dimscope::app {

/// The content of a figure's SVG file; empty where figures are not drawn (their sources are linked then).
using SvgOf = std::function<std::string(const analysis::Figure&)>;

/// The index page of a report, self-contained: at most ten findings, what the dump could not support, then every
/// section with its figures (inside the page) and tables (the first rows; the files beside it have all).
std::string reportPage(const analysis::DumpInfo& info, const std::vector<ReportSection>& sections, const SvgOf& svgOf);

}  // namespace dimscope::app
