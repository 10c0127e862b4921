// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/lists.h"

#include <gtest/gtest.h>

namespace dimscope::app {
namespace {

using Numbers = std::vector<std::int64_t>;

TEST(Lists, NumbersAndRangesKeepTheirOrder) {
    EXPECT_EQ(parseIntegers("--layers", "4"), (Numbers{4}));
    EXPECT_EQ(parseIntegers("--layers", "20,4,12"), (Numbers{20, 4, 12}));
    EXPECT_EQ(parseIntegers("--layers", "0-3"), (Numbers{0, 1, 2, 3}));
    EXPECT_EQ(parseIntegers("--layers", "7,0-2,5-5"), (Numbers{7, 0, 1, 2, 5}));
}

TEST(Lists, AnythingElseIsRefusedByNameAndText) {
    for (const char* text : {"", ",", "1,", "a", "1-", "-1", "1--3", "5-2", "1.5", "1 2", " 1", "+1", "0x1", "all",
                             "99999999999999999999"}) {
        try {
            parseIntegers("--positions", text);
            ADD_FAILURE() << "accepted '" << text << "'";
        } catch (const UsageError& error) {
            EXPECT_NE(std::string(error.what()).find("--positions '" + std::string(text) + "'"), std::string::npos)
                << error.what();
        }
    }
}

TEST(Lists, ANumberComesOnce) {
    EXPECT_THROW(parseIntegers("--layers", "1,2,1"), UsageError);
    EXPECT_THROW(parseIntegers("--layers", "1-3,2"), UsageError);
}

TEST(Lists, AHugeRangeIsRefusedAtOnce) {
    EXPECT_THROW(parseIntegers("--positions", "0-999999999999"), UsageError);
    EXPECT_THROW(parseIntegers("--positions", "0-1000000"), UsageError);
    EXPECT_EQ(parseIntegers("--positions", "0-999999").size(), 1'000'000U);
    EXPECT_THROW(parseSelection("--layers", "3000000000"), UsageError);
}

TEST(Lists, AllIsAnEmptySelection) {
    EXPECT_TRUE(parseSelection("--heads", "all").empty());
    EXPECT_EQ(parseSelection("--heads", "2,0"), (std::vector<int>{2, 0}));
}

TEST(Lists, Names) {
    EXPECT_EQ(parseNames("--kernels", "all"), std::nullopt);
    EXPECT_EQ(parseNames("--kernels", "taylor,oal"), (std::vector<std::string>{"taylor", "oal"}));
    for (const char* text : {"", "taylor,", "taylor,taylor"})
        EXPECT_THROW(parseNames("--kernels", text), UsageError) << text;
}

TEST(Lists, AWholeNumberHasALeastValue) {
    EXPECT_EQ(parseInteger("--rows", "32", 1), 32);
    for (const char* text : {"0", "-3", "3.5", "many", ""})
        EXPECT_THROW(parseInteger("--rows", text, 1), UsageError) << text;
}

}  // namespace
}  // namespace dimscope::app
