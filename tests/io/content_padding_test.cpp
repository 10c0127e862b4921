// SPDX-License-Identifier: GPL-3.0-or-later
// Padding that nothing but its content marks: offered, and left out on request.
#include <gtest/gtest.h>

#include <algorithm>

#include "io/dump/attention_dump.h"
#include "tests/io/dump_files.h"

namespace dimscope::tests {
namespace {

using namespace analysis;

// padded_content.h5: of 12 positions, prompt 0 ends with 3 rows that repeat, prompt 1 begins with 2 rows of zeros.
std::shared_ptr<HeadSource> openPadded(const std::string& valid) {
    io::ReadingDecisions decisions;
    decisions.valid = valid;
    return io::openDump(std::filesystem::path(TEST_DATA_DIR) / "layouts" / "padded_content.h5", decisions);
}

TEST(ContentPadding, IsOfferedAndCounted) {
    const auto source = openPadded("");
    EXPECT_TRUE(hasWarning(source->info(), "prompt 0: 3 trailing, prompt 1: 2 leading"));
    EXPECT_TRUE(hasWarning(source->info(), "--valid content"));
    EXPECT_EQ(source->validity(PromptIndex{0}), nullptr);
    EXPECT_TRUE(source->info().exclusions.empty());
}

TEST(ContentPadding, IsLeftOutOnRequestAndSaysSo) {
    const auto source = openPadded("content");
    std::vector<std::uint8_t> first(12, 1), second(12, 1);
    std::fill(first.end() - 3, first.end(), std::uint8_t{0});
    std::fill_n(second.begin(), 2, std::uint8_t{0});
    EXPECT_EQ(*source->validity(PromptIndex{0}), first);
    EXPECT_EQ(*source->validity(PromptIndex{1}), second);
    EXPECT_EQ(source->info().prompts[0].validPositions, 9);
    ASSERT_EQ(source->info().exclusions.size(), 1U);
    EXPECT_EQ(source->info().exclusions[0].first, "excluded_padding");
    EXPECT_EQ(std::get<std::vector<std::string>>(source->info().exclusions[0].second),
              (std::vector<std::string>{"0:0+3", "1:2+0"}));
    EXPECT_TRUE(hasWarning(source->info(), "are excluded as keys and queries"));
}

TEST(ContentPadding, NothingRepeatsNothingIsOffered) {
    const auto source = io::openDump(std::filesystem::path(TEST_DATA_DIR) / "layouts" / "names_long.h5");
    EXPECT_FALSE(hasWarning(source->info(), "--valid content"));
    io::ReadingDecisions decisions;
    decisions.valid = "content";
    const auto asked = io::openDump(std::filesystem::path(TEST_DATA_DIR) / "layouts" / "names_long.h5", decisions);
    EXPECT_TRUE(hasWarning(asked->info(), "no padding is excluded"));
    EXPECT_EQ(asked->validity(PromptIndex{0}), nullptr);
}

}  // namespace
}  // namespace dimscope::tests
