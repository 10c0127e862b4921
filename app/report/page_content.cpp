// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/report/page_content.h"

#include <iterator>
#include <utility>

#include "io/table_writer.h"

namespace dimscope::app {

void PageContent::add(analysis::Figure figure) {
    figures.push_back(std::make_shared<const analysis::Figure>(std::move(figure)));
}

void PageContent::add(analysis::Table table) {
    tables.push_back(std::make_shared<const analysis::Table>(std::move(table)));
}

void PageContent::add(PageContent more) {
    std::move(more.figures.begin(), more.figures.end(), std::back_inserter(figures));
    std::move(more.tables.begin(), more.tables.end(), std::back_inserter(tables));
}

void writeTableFiles(const analysis::Table& table, const std::filesystem::path& folder) {
    for (const char* extension : {".csv", ".md", ".tex"}) io::writeTable(table, folder / (table.name + extension));
}

}  // namespace dimscope::app
