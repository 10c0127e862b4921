// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/report/html_text.h"
#include "app/report/report_page.h"
#include "app/report/report_writer.h"
#include "kernels/error.h"
#include "tests/support/temporary_folder.h"

namespace dimscope::app {
namespace {

namespace fs = std::filesystem;

using tests::contentOf;

TEST(HtmlText, NothingOfAFileIsMarkup) {
    EXPECT_EQ(htmlText("<script>'a' & \"b\"</script>\x01"),
              "&lt;script&gt;&#39;a&#39; &amp; &quot;b&quot;&lt;/script&gt;?");
    EXPECT_EQ(htmlMarkup("<i>q</i><sub>r</sub> < <b onclick=x>"), "<i>q</i><sub>r</sub> &lt; &lt;b onclick=x&gt;");
}

// RFC 4648, section 10.
TEST(HtmlText, Base64) {
    EXPECT_EQ(base64(""), "");
    EXPECT_EQ(base64("f"), "Zg==");
    EXPECT_EQ(base64("fo"), "Zm8=");
    EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
    EXPECT_EQ(base64("\xff\xfe\xfd"), "//79");
}

ReportSection sectionWith(const std::string& name, int findings) {
    ReportSection section;
    section.name = name;
    section.title = name;
    for (int i = 0; i < findings; ++i)
        section.findings.push_back({name + " [says] " + std::to_string(i) + ".", {}, {}});
    analysis::Table table;
    table.name = name + "-table";
    table.columns = {{.name = "a", .title = "<a>", .unit = "", .cells = {}}};
    for (int row = 0; row < 50; ++row) table.columns.front().cells.emplace_back(std::string("<x>"));
    section.content.add(std::move(table));
    return section;
}

std::size_t countOf(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
    return count;
}

TEST(ReportPage, TenFindingsAtMostEachLinkedToItsTable) {
    std::vector<ReportSection> sections{sectionWith("one", 9), sectionWith("two", 9)};
    sections.push_back(sectionWith("three", 0));
    sections.back().absent = "the dump has no <v>";
    sections.front().limits = {"no W_o"};
    analysis::DumpInfo info;
    info.identity.name = "<b>.h5";
    const std::string page = reportPage(info, sections, {});
    const std::string list = page.substr(page.find("<ol>"), page.find("</ol>") - page.find("<ol>"));
    EXPECT_EQ(countOf(list, "<li>"), 10U);
    EXPECT_EQ(countOf(list, "href=\"#table-one-table\""), 5U);
    EXPECT_EQ(countOf(list, "href=\"#table-two-table\""), 5U);
    EXPECT_NE(page.find("one says 0."), std::string::npos);
    EXPECT_NE(page.find("id=\"table-one-table\""), std::string::npos);
    EXPECT_NE(page.find("no W_o"), std::string::npos);
    EXPECT_NE(page.find("the dump has no &lt;v&gt;"), std::string::npos);
    EXPECT_NE(page.find("40 of 50 rows"), std::string::npos);
    EXPECT_EQ(page.find("<x>"), std::string::npos);
    EXPECT_EQ(page.find("<b>.h5"), std::string::npos);
}

TEST(Report, WritesWhatItsPageLinks) {
    const tests::TemporaryFolder folder;
    Report report({.file = fs::path(TEST_DATA_DIR) / "float64.h5"});
    std::vector<std::string> titles;
    const auto files =
        writeReport(report, folder.path() / "out", {},
                    [&](std::size_t, std::size_t, const std::string& title) { titles.push_back(title); }, {});
    EXPECT_EQ(titles.size(), 1 + analysis::experimentCatalog().size());
    for (const fs::path& file : files) EXPECT_TRUE(fs::is_regular_file(file)) << file;
    const std::string page = contentOf(folder.path() / "out" / "index.html");
    std::size_t links = 0;
    for (std::size_t at = page.find("href=\""); at != std::string::npos; at = page.find("href=\"", at + 1)) {
        const std::string target = page.substr(at + 6, page.find('"', at + 6) - at - 6);
        ++links;
        if (target.starts_with("#"))
            EXPECT_NE(page.find("id=\"" + target.substr(1) + "\""), std::string::npos) << target;
        else
            EXPECT_TRUE(fs::exists(folder.path() / "out" / target)) << target;
    }
    EXPECT_GT(links, 10U);
    for (const analysis::Experiment& experiment : analysis::experimentCatalog()) {
        const auto json = nlohmann::json::parse(contentOf(folder.path() / "out" / (experiment.name + ".json")));
        EXPECT_EQ(json["section"], experiment.name);
        EXPECT_TRUE(json["absent"].get<std::string>().size() > 0 || json["provenance"]["verb"] == experiment.name);
    }
}

TEST(Report, CancelLeavesNoPage) {
    const tests::TemporaryFolder folder;
    Report report({.file = fs::path(SAMPLE_DIR) / "smollm2-sample.h5"});
    const RunControl control;
    EXPECT_THROW(writeReport(
                     report, folder.path(), {},
                     [&](std::size_t step, std::size_t, const std::string&) {
                         if (step == 0) control.cancel();
                     },
                     control),
                 kernels::Cancelled);
    EXPECT_FALSE(fs::exists(folder.path() / "index.html"));
}

}  // namespace
}  // namespace dimscope::app
