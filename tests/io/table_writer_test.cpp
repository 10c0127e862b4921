// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/table_writer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "kernels/error.h"
#include "tests/support/temporary_folder.h"

namespace dimscope::tests {
namespace {

using namespace analysis;
using io::TableFormat;

const std::string kNasty = "a \"b\", c & d_e % f | g\nh";
const std::vector<double> kNumbers{0.1, -1.0 / 3.0, 6.02214076e23, std::numeric_limits<double>::denorm_min(),
                                   std::numeric_limits<double>::max()};

/// A column of each kind; NaN and infinity are undefined.
Table madeUpTable() {
    Table table;
    table.name = "made-up";
    table.caption = "First line\n# second, 5 % of x_y";
    Column kernel{
        "kernel",
        "Kernel",
        "",
        NumberStyle::Plain,
        {kNasty, std::string("#1"), std::string(" padded "), std::string(), std::string("plain"), Cell{}, Cell{}}};
    Column number{"rel_mse", "RelMSE", "ms", NumberStyle::Plain, {}};
    Column share{"share", "Share", "%", NumberStyle::Percent, {}};
    for (const double value : kNumbers) number.cells.emplace_back(value);
    number.cells.emplace_back(std::nan(""));
    number.cells.emplace_back(std::numeric_limits<double>::infinity());
    share.cells.assign(7, 0.149);
    Column group{"group", "Group", "", NumberStyle::Plain, std::vector<Cell>(7, std::vector<std::int64_t>{22, 26})};
    Column count{"count", "Count", "", NumberStyle::Plain, std::vector<Cell>(7, std::int64_t{-7})};
    table.columns = {kernel, number, share, group, count};
    table.warnings = {{"nonfinite", "layer 3", "something\nodd"}};
    table.provenance.verb = "compare";
    table.provenance.parameters = {{"rows", std::int64_t{32}}, {"alpha", std::nan("")}};
    return table;
}

/// An RFC 4180 reader of its own, comments skipped.
std::vector<std::vector<std::string>> csvRows(const std::string& text) {
    std::vector<std::vector<std::string>> rows;
    for (std::size_t at = 0; at < text.size();) {
        if (text[at] == '#') {
            at = text.find('\n', at) + 1;
            continue;
        }
        std::vector<std::string> row(1);
        for (bool quoted = false; quoted || text.at(at) != '\n'; ++at) {
            if (text[at] == '"' && quoted && text.at(at + 1) == '"')
                row.back() += text[++at];
            else if (text[at] == '"')
                quoted = !quoted;
            else if (text[at] == ',' && !quoted)
                row.emplace_back();
            else
                row.back() += text[at];
        }
        rows.push_back(std::move(row));
        ++at;
    }
    return rows;
}

TEST(TableCsv, IsReadBackEqual) {
    const auto rows = csvRows(io::tableText(madeUpTable(), TableFormat::Csv));
    ASSERT_EQ(rows.size(), 8U);
    EXPECT_EQ(rows[0], (std::vector<std::string>{"kernel", "rel_mse", "share", "group", "count"}));
    EXPECT_EQ(rows[1][0], kNasty);
    EXPECT_EQ(rows[2][0], "#1");
    EXPECT_EQ(rows[3][0], " padded ");
    for (std::size_t n = 0; n < kNumbers.size(); ++n)
        EXPECT_EQ(std::strtod(rows[n + 1][1].c_str(), nullptr), kNumbers[n]);
    EXPECT_EQ(rows[6][1], "");
    EXPECT_EQ(rows[7][1], "");
    EXPECT_EQ(std::strtod(rows[1][2].c_str(), nullptr), 0.149);
    EXPECT_EQ(rows[1][3], "22 26");
    EXPECT_EQ(rows[1][4], "-7");
}

TEST(TableCsv, CaptionProvenanceAndWarningsAreComments) {
    std::istringstream lines(io::tableText(madeUpTable(), TableFormat::Csv));
    std::string line, comments;
    while (std::getline(lines, line) && line.starts_with("# ")) comments += line + "\n";
    EXPECT_TRUE(line.starts_with("kernel,"));
    for (const char* part : {"# First line\n", "# # second, 5 % of x_y\n", "compare", "rows 32", "something\n# odd"})
        EXPECT_NE(comments.find(part), std::string::npos) << part;
}

TEST(TableMarkdown, NothingIsReadAsMarkup) {
    const std::string text = io::tableText(madeUpTable(), TableFormat::Markdown);
    EXPECT_NE(text.find("| Kernel | RelMSE (ms) | Share | Group | Count |\n| --- | ---: | ---: | ---: | ---: |\n"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("| a \"b\", c & d\\_e % f \\| g h | 0.100 | 14.9 % | 22 26 | -7 |\n"), std::string::npos)
        << text;
    EXPECT_NE(text.find("| undefined |"), std::string::npos);
    EXPECT_EQ(text.find("| nan"), std::string::npos);
    EXPECT_NE(text.find("compare"), std::string::npos);
    EXPECT_NE(text.find("Warning: layer 3: something odd"), std::string::npos);
}

TEST(TableLatex, IsBooktabsWithEverythingEscaped) {
    const std::string text = io::tableText(madeUpTable(), TableFormat::Latex);
    for (const char* part :
         {"\\begin{tabular}{lrrlr}", "\\toprule", "\\midrule", "\\bottomrule",
          "\\caption{First line \\# second, 5 \\% of x\\_y}", "Kernel & RelMSE (ms) & Share & Group & Count \\\\",
          " c \\& d\\_e \\% f ", "\\times10^{23}", "\\ensuremath{-0.333}", "14.9\\,\\%", "& undefined &"})
        EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (line.find("\\%") == std::string::npos && line.find('%') != std::string::npos) {
            EXPECT_TRUE(line.starts_with("% ")) << line;
        }
    }
}

TEST(TableJson, IsReadBackEqual) {
    const auto json = nlohmann::json::parse(io::tableText(madeUpTable(), TableFormat::Json));
    EXPECT_EQ(json["name"], "made-up");
    EXPECT_EQ(json["columns"].size(), 5U);
    EXPECT_EQ(json["columns"][1]["name"], "rel_mse");
    ASSERT_EQ(json["rows"].size(), 7U);
    EXPECT_EQ(json["rows"][0]["kernel"], kNasty);
    for (std::size_t n = 0; n < kNumbers.size(); ++n) EXPECT_EQ(json["rows"][n]["rel_mse"].get<double>(), kNumbers[n]);
    EXPECT_TRUE(json["rows"][5]["rel_mse"].is_null());
    EXPECT_TRUE(json["rows"][6]["rel_mse"].is_null());
    EXPECT_TRUE(json["rows"][5]["kernel"].is_null());
    EXPECT_EQ(json["rows"][0]["group"], (std::vector<int>{22, 26}));
    EXPECT_EQ(json["rows"][0]["count"], -7);
    EXPECT_EQ(json["provenance"]["verb"], "compare");
    EXPECT_EQ(json["provenance"]["parameters"]["rows"], 32);
    EXPECT_TRUE(json["provenance"]["parameters"]["alpha"].is_null());
    EXPECT_EQ(json["warnings"][0]["code"], "nonfinite");
}

TEST(TableWriter, GoesByTheExtension) {
    const TemporaryFolder folder;
    const Table table = madeUpTable();
    const std::vector<std::pair<std::string, TableFormat>> formats{{"t.csv", TableFormat::Csv},
                                                                   {"t.json", TableFormat::Json},
                                                                   {"t.md", TableFormat::Markdown},
                                                                   {"t.tex", TableFormat::Latex}};
    for (const auto& [name, format] : formats) {
        io::writeTable(table, folder / name);
        EXPECT_EQ(contentOf(folder / name), io::tableText(table, format)) << name;
    }
    EXPECT_THROW(io::writeTable(table, folder / "t.xlsx"), kernels::ArgumentError);
    EXPECT_THROW(io::writeTable(table, folder / "t"), kernels::ArgumentError);
    EXPECT_EQ(folder.names().size(), formats.size());
}

TEST(TableWriter, AnEmptyTableHasItsHeading) {
    Table table;
    table.columns = {{"a", "A", "", NumberStyle::Plain, {}}, {"b", "B", "", NumberStyle::Plain, {}}};
    EXPECT_EQ(csvRows(io::tableText(table, TableFormat::Csv)), (std::vector<std::vector<std::string>>{{"a", "b"}}));
    EXPECT_TRUE(nlohmann::json::parse(io::tableText(table, TableFormat::Json))["rows"].empty());
}

TEST(TableWriter, RefusesColumnsOfUnequalLength) {
    Table table = madeUpTable();
    table.columns.back().cells.pop_back();
    EXPECT_THROW(io::tableText(table, TableFormat::Csv), kernels::ShapeError);
}

}  // namespace
}  // namespace dimscope::tests
