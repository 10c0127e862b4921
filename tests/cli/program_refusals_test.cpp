// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/cli/finished_program.h"

namespace dimscope::tests {
namespace {

using Arguments = std::vector<std::string>;

/// A refusal: exit code, one line on stderr, nothing on stdout, and the same as a document with --json.
void expectRefusal(Arguments arguments, int exitCode, const std::string& word) {
    const FinishedProgram plain = runCli(arguments);
    EXPECT_EQ(plain.exitCode, exitCode) << plain.err;
    EXPECT_EQ(plain.out, "");
    EXPECT_EQ(std::count(plain.err.begin(), plain.err.end(), '\n'), 1) << plain.err;
    EXPECT_NE(plain.err.find(word), std::string::npos) << plain.err;

    arguments.emplace_back("--json");
    const FinishedProgram asJson = runCli(arguments);
    EXPECT_EQ(asJson.exitCode, exitCode);
    EXPECT_EQ(asJson.err, plain.err);
    for (const char* key : {"file", "object", "cause", "advice"})
        EXPECT_TRUE(asJson.document()["error"][key].is_string()) << key << ": " << asJson.out;
    EXPECT_FALSE(asJson.document()["error"]["cause"].get<std::string>().empty());
}

TEST(CliRefusals, WrongUsageIsTwo) {
    expectRefusal({}, 2, "compare");
    expectRefusal({"heal", samplePath()}, 2, "no verb 'heal'; there are info, doctor, profile, group, compare");
    expectRefusal({"profile"}, 2, "FILE");
    expectRefusal({"profile", samplePath(), "--colour"}, 2, "--colour");
    expectRefusal({"profile", samplePath(), "--layers", "4-"}, 2, "--layers '4-'");
    expectRefusal({"profile", samplePath(), "--length", "0"}, 2, "--length");
    expectRefusal({"profile", samplePath(), "--backend", "gpu"}, 2, "gpu");
    expectRefusal({"profile", samplePath(), "--prompts", "split:"}, 2, "--prompts");
    expectRefusal({"profile", samplePath(), "--out", "x.pdf"}, 2, "x.pdf");
    expectRefusal({"group", samplePath(), "--alpha", "2"}, 2, "--alpha");
    expectRefusal({"group", samplePath(), "--support", "most"}, 2, "most");
    expectRefusal({"compare", samplePath(), "--kernels", "taylor,softermax"}, 2, "softermax");
    expectRefusal({"compare", samplePath(), "--rows", "0"}, 2, "--rows");
    expectRefusal({"compare", samplePath(), "--rows", "3", "--positions", "1"}, 2, "--positions");
}

TEST(CliRefusals, HelpIsNoError) {
    for (const char* verb : {"info", "profile", "group", "compare", "kernels", "devices"}) {
        const FinishedProgram help = runCli({verb, "--help"});
        EXPECT_EQ(help.exitCode, 0);
        EXPECT_NE(help.out.find(std::string("dimscope-cli ") + verb), std::string::npos) << help.out;
    }
    EXPECT_EQ(runCli({"--help"}).exitCode, 0);
    EXPECT_EQ(runCli({"--version"}).out.rfind("dimscope-cli ", 0), 0U);
}

TEST(CliRefusals, AFileThatIsNoDumpIsOne) {
    const TemporaryFolder folder;
    for (const char* verb : {"info", "profile", "group", "compare"}) {
        expectRefusal({verb, folder.file("missing.h5")}, 1, "missing.h5");
        expectRefusal({verb, folder.write("empty.h5", "")}, 1, "empty.h5");
        expectRefusal({verb, folder.write("text.h5", "not a dump\n")}, 1, "text.h5");
    }
}

TEST(CliRefusals, WhatTheDumpLacksIsOneAndNamed) {
    expectRefusal({"profile", samplePath(), "--layers", "7"}, 1, "7");
    expectRefusal({"profile", samplePath(), "--heads", "9"}, 1, "9");
    expectRefusal({"profile", samplePath(), "--prompts", "4"}, 1, "4");
    expectRefusal({"profile", samplePath(), "--length", "513"}, 1, "513");
    expectRefusal({"compare", samplePath(), "--positions", "512"}, 1, "512");
    expectRefusal({"profile", samplePath(), "--prompts", "split:nowhere"}, 1, "split");
    expectRefusal({"compare", samplePath(), "--params", samplePath() + ".none"}, 1, "smollm2-sample.h5.none");
}

TEST(CliRefusals, AnOutputThatCannotBeWrittenLeavesNothing) {
    const TemporaryFolder folder;
    expectRefusal({"info", samplePath(), "--out", folder.file("no/such/folder/t.csv")}, 1, "t.csv");
    EXPECT_TRUE(folder.empty());
}

}  // namespace
}  // namespace dimscope::tests
