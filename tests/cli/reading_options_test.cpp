// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/reading_options.h"

#include <gtest/gtest.h>

#include <set>

#include "app/cli/lists.h"

namespace dimscope::app {
namespace {

io::ReadingDecisions parsed(const std::vector<std::string>& words) {
    CLI::App verb;
    ReadingOptions options;
    addReadingOptions(verb, options);
    verb.parse(std::vector<std::string>(words.rbegin(), words.rend()));
    return decisionsFrom(options);
}

TEST(ReadingOptions, DecisionsAndOptionsSayTheSame) {
    const io::ReadingDecisions decisions =
        parsed({"--map", "q=/a b/q", "--map", "k=/k", "--axes", "prompt pos head dim", "--scale", "0.1", "--n-heads",
                "9", "--rope", "pre", "--rotate", "--valid", "mask", "--allow", "links"});
    const ReadingOptions options = optionsFor(decisions);
    EXPECT_EQ(options.scale, "0.1");
    EXPECT_EQ(options.nHeads, "9");
    EXPECT_EQ(readingArguments(options),
              "--map 'q=/a b/q' --map k=/k --axes 'prompt pos head dim' --scale 0.1 --rope pre --n-heads 9 "
              "--valid mask --rotate --allow links");
    const io::ReadingDecisions again = decisionsFrom(options);
    EXPECT_EQ(again.map, decisions.map);
    EXPECT_EQ(again.attributes, decisions.attributes);
    EXPECT_EQ(again.valid, decisions.valid);
    EXPECT_EQ(again.rotate, decisions.rotate);
    EXPECT_EQ(again.outside, decisions.outside);
    EXPECT_EQ(readingArguments({}), "");
}

TEST(ReadingOptions, AWordIsOneWordForTheShell) {
    EXPECT_EQ(readingWord("/a/b-1.h5"), "/a/b-1.h5");
    EXPECT_EQ(readingWord(""), "''");
    EXPECT_EQ(readingWord("a b"), "'a b'");
    EXPECT_EQ(readingWord("it's $HOME"), "'it'\\''s $HOME'");
    EXPECT_EQ(readingWord("a\n'b\\\xff"), "$'a\\x0a\\'b\\x5c\\xff'");
}

// A form is made of these: each stands for an option of its own.
TEST(ReadingOptions, EveryFieldIsAnOption) {
    CLI::App verb;
    ReadingOptions options;
    addReadingOptions(verb, options);
    std::set<std::string> names;
    for (const ReadingField& field : readingFields()) {
        EXPECT_TRUE(names.insert(field.option).second) << field.option;
        EXPECT_NE(verb.get_option_no_throw(field.option), nullptr) << field.option;
        EXPECT_NE(std::string(field.help), "");
    }
    EXPECT_THROW(parsed({"--scale", "two"}), UsageError);
}

}  // namespace
}  // namespace dimscope::app
