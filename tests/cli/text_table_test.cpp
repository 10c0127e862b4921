// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/text_table.h"

#include <gtest/gtest.h>

namespace dimscope::app {
namespace {

TEST(TextTable, NumbersToTheRightTextToTheLeft) {
    analysis::Table table;
    table.columns = {column("layer", "layer"), column("kernel", "kernel"), column("rows", "rows")};
    addRow(table, {std::int64_t{4}, std::string("oal"), std::int64_t{1000}});
    addRow(table, {std::int64_t{12}, std::string("performer"), std::int64_t{2}});
    EXPECT_EQ(alignedText(table),
              "layer  kernel     rows\n"
              "    4  oal        1000\n"
              "   12  performer     2\n");
}

TEST(TextTable, WideCharactersCountOnce) {
    analysis::Table table;
    table.columns = {column("name", "name"), column("n", "n")};
    addRow(table, {std::string("\u03c7"), std::int64_t{1}});
    addRow(table, {std::string("chi"), std::int64_t{2}});
    EXPECT_EQ(alignedText(table), "name  n\n\u03c7     1\nchi   2\n");
}

TEST(TextTable, UnitStandsBesideTheTitle) {
    analysis::Table table;
    table.columns = {column("time", "time")};
    table.columns.front().unit = "ms";
    addRow(table, {std::int64_t{5}});
    EXPECT_EQ(alignedText(table), "time [ms]\n        5\n");
}

}  // namespace
}  // namespace dimscope::app
