// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "analysis/figure.h"
#include "analysis/table.h"

namespace dimscope::app {

/// Figures and tables that belong together: what a page has to export, or a section of a report.
struct PageContent {
    std::vector<std::shared_ptr<const analysis::Figure>> figures;
    std::vector<std::shared_ptr<const analysis::Table>> tables;

    void add(analysis::Figure figure);
    void add(analysis::Table table);
    void add(PageContent more);
};

/// NAME.csv, NAME.md and NAME.tex in the folder. Throws FileError.
void writeTableFiles(const analysis::Table& table, const std::filesystem::path& folder);

}  // namespace dimscope::app
