// SPDX-License-Identifier: GPL-3.0-or-later
// Decisions about the reading of a file, and what is said about them.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/cli/finished_program.h"

namespace dimscope::tests {
namespace {

using nlohmann::json;

std::string layoutPath(const std::string& name) { return std::string(TEST_DATA_DIR) + "/layouts/" + name; }

bool hasCode(const json& document, const std::string& code) {
    for (const json& warning : document["warnings"])
        if (warning["code"] == code) return true;
    return false;
}

TEST(CliReading, FewerQueriesAreAlignedOnRequestAndStated) {
    const std::string file = layoutPath("fewer_queries.h5");
    const FinishedProgram refused = runCli({"info", file});
    EXPECT_EQ(refused.exitCode, 1);
    EXPECT_NE(refused.err.find("--align end"), std::string::npos) << refused.err;
    EXPECT_EQ(runCli({"info", file, "--align", "middle"}).exitCode, 1);
    const json profile = runCli({"profile", file, "--align", "end", "--json"}).document();
    EXPECT_EQ(profile["provenance"]["selection"]["query_positions"], "5..11");
    EXPECT_TRUE(hasCode(profile, "fewer_queries"));
    const json compared =
        runCli({"compare", file, "--align", "end", "--kernels", "elu", "--rows", "all", "--json"}).document();
    EXPECT_EQ(compared["positions"][0], json({5, 6, 7, 8, 9, 10, 11}));
    const FinishedProgram outside =
        runCli({"compare", file, "--align", "end", "--kernels", "elu", "--positions", "4", "--json"});
    EXPECT_EQ(outside.exitCode, 1);
    EXPECT_NE(outside.err.find("position 4 has no query"), std::string::npos) << outside.err;
    const FinishedProgram timed = runCli({"bench", layoutPath("fewer_queries_start.h5"), "--job", "profile"});
    EXPECT_EQ(timed.exitCode, 1);
    EXPECT_NE(timed.err.find("fewer queries than keys"), std::string::npos) << timed.err;
}

TEST(CliReading, PaddingFromContentIsOfferedByEveryVerb) {
    const std::string file = layoutPath("padded_content.h5");
    for (const char* verb : {"info", "profile", "stability"}) {
        const FinishedProgram program = runCli({verb, file});
        EXPECT_EQ(program.exitCode, 0) << program.err;
        EXPECT_NE(program.err.find("prompt 0: 3 trailing, prompt 1: 2 leading"), std::string::npos) << program.err;
        EXPECT_NE(program.err.find("--valid content"), std::string::npos) << program.err;
    }
    const json excluded = runCli({"profile", file, "--valid", "content", "--json"}).document();
    EXPECT_EQ(excluded["provenance"]["selection"]["excluded_padding"], json({"0:0+3", "1:2+0"}));
    EXPECT_FALSE(hasCode(excluded, "padding_unmarked"));
}

TEST(CliReading, RepackSkipsDamageOnRequest) {
    const TemporaryFolder folder;
    const std::string file = layoutPath("damaged_chunk.h5"), out = folder.file("rest.h5");
    EXPECT_EQ(runCli({"repack", file, "--out", out}).exitCode, 1);
    EXPECT_TRUE(folder.empty());
    const FinishedProgram program = runCli({"repack", file, "--out", out, "--skip-damaged", "--json"});
    EXPECT_EQ(program.exitCode, 0) << program.err;
    EXPECT_TRUE(hasCode(program.document(), "repack_damaged"));
    EXPECT_EQ(runCli({"info", out}).exitCode, 0);
}

TEST(CliReading, CompressedNpzIsRead) {
    const json stored = runCli({"profile", layoutPath("dump.npz"), "--json"}).document();
    for (const char* name : {"dump_compressed.npz", "dump_zip64.npz"})
        EXPECT_EQ(runCli({"profile", layoutPath(name), "--json"}).document()["heads"], stored["heads"]) << name;
    for (const char* name : {"harm_zip_checksum.npz", "harm_zip_data.npz", "harm_zip_bomb.npz"})
        EXPECT_EQ(runCli({"profile", layoutPath(name)}).exitCode, 1) << name;
}

}  // namespace
}  // namespace dimscope::tests
