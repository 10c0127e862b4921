// SPDX-License-Identifier: GPL-3.0-or-later
// Runs in pieces on the command line: shards and their merge, killed runs and their rest.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>

#include "tests/cli/finished_program.h"
#include "tests/support/wall_clock.h"

namespace dimscope::tests {
namespace {

using std::chrono::milliseconds;
namespace fs = std::filesystem;
using Words = std::vector<std::string>;

Words with(Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

Words smallRun(const std::string& replicates = "60") {
    return {"intervene",    samplePath(), "--layers",   "15",           "--heads",
            "0-3",          "--rows",     "4",          "--length",     "96",
            "--prompts",    "0,1",        "--train",    "2,3",          "--subset",
            "top:1",        "--kernels",  "taylor,elu", "--control",    "gaussian,subsets",
            "--replicates", replicates,   "--dose",     "--dose-draws", "2"};
}

std::string read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// All bytes but those of the start and the time taken, in JSON or in the comment of a figure.
std::string withoutTimes(const std::string& document) {
    static const std::regex kTimes("\"(started|elapsed|seconds)\":[^,}]*|\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ");
    EXPECT_TRUE(std::regex_search(document, kTimes));
    return std::regex_replace(document, kTimes, "\"$1\":");
}

std::string succeeded(const Words& words) {
    const FinishedProgram program = runCli(words);
    EXPECT_EQ(program.exitCode, 0) << program.err;
    return program.out;
}

TEST(CliShards, AMergeIsTheOneRunByteForByte) {
    const TemporaryFolder folder;
    const std::string whole = succeeded(with(smallRun(), {"--json"}));
    Words parts;
    for (const char* shard : {"1", "2", "3"}) {
        parts.push_back(folder.file(std::string("part") + shard + ".json"));
        succeeded(with(smallRun(), {"--shard", std::string(shard) + "/3", "--out", parts.back(), "--threads", shard}));
    }
    const std::string merged = succeeded(with({"merge", "--json", "--out", folder.file("r.json")}, parts));
    EXPECT_EQ(read(folder.file("r.json")), merged);
    const auto place = [](std::string text) {  // threads are the machine's
        return std::regex_replace(text, std::regex("\"device\":\"[^\"]*\""), "");
    };
    EXPECT_EQ(place(withoutTimes(merged)), place(withoutTimes(whole)));
    const FinishedProgram missing = runCli({"merge", parts[0], parts[2]});
    EXPECT_EQ(missing.exitCode, 1);
    EXPECT_NE(missing.err.find("shard 2/3 is missing"), std::string::npos) << missing.err;
    succeeded(with(smallRun("61"), {"--shard", "2/3", "--out", parts[1]}));
    const FinishedProgram foreign = runCli(with({"merge"}, parts));
    EXPECT_EQ(foreign.exitCode, 1);
    EXPECT_NE(foreign.err.find("part2.json: it is no shard of the run"), std::string::npos) << foreign.err;
    EXPECT_EQ(std::count(foreign.err.begin(), foreign.err.end(), '\n'), 1);
}

TEST(CliShards, CalibratedHeadsMergeIntoTheSameFile) {
    const TemporaryFolder folder;
    const Words run{"calibrate", samplePath(), "--layers", "15", "--heads", "0-2", "--kernels",    "taylorshift,oal",
                    "--rows",    "16",         "--length", "96", "--train", "2",   "--validation", "3"};
    const std::string whole = succeeded(with(run, {"--json", "--write", folder.file("whole.h5")}));
    const std::string one = folder.file("1.json"), two = folder.file("2.json");
    succeeded(with(run, {"--shard", "1/2", "--out", one}));
    succeeded(with(run, {"--shard", "2/2", "--out", two}));
    const std::string merged = succeeded({"merge", two, one, "--json", "--write", folder.file("merged.h5")});
    EXPECT_EQ(withoutTimes(merged), withoutTimes(whole));
    const auto exported = [&](const char* file) {
        succeeded({"export", folder.file(file), "--out", folder.file(std::string(file) + ".json")});
        return nlohmann::json::parse(read(folder.file(std::string(file) + ".json")))["heads"];
    };
    EXPECT_EQ(exported("merged.h5"), exported("whole.h5"));
}

TEST(CliShards, FidelityMergesIntoTheSameBytesAndFigure) {
    const TemporaryFolder folder;
    const Words run{"fidelity", samplePath(), "--layers",       "5,15",   "--length", "96",      "--prompts",
                    "0,1",      "--kernels",  "taylor,rebased", "--rows", "8",        "--seeds", "0,1"};
    const std::string whole = succeeded(with(run, {"--json"}));
    const std::string one = folder.file("1.json"), two = folder.file("2.json");
    succeeded(with(run, {"--shard", "1/2", "--out", one}));
    succeeded(with(run, {"--shard", "2/2", "--resume", folder.file("kept.json"), "--out", two}));
    EXPECT_EQ(nlohmann::json::parse(read(folder.file("kept.json")))["complete"], true);
    EXPECT_EQ(withoutTimes(succeeded({"merge", two, one, "--json"})), withoutTimes(whole));
    succeeded(with(run, {"--out", folder.file("whole.tikz")}));
    succeeded({"merge", one, two, "--out", folder.file("merged.tikz")});
    EXPECT_EQ(withoutTimes(read(folder.file("merged.tikz"))), withoutTimes(read(folder.file("whole.tikz"))));
    const std::string kept = folder.file("all.json");
    succeeded(with(run, {"--resume", kept}));
    EXPECT_EQ(withoutTimes(succeeded(with(run, {"--json", "--resume", kept}))), withoutTimes(whole));
    EXPECT_EQ(runCli(with(run, {"--shard", "1/2", "--out", "table.csv"})).exitCode, 2);
}

TEST(CliResume, AKilledRunContinuesToTheSameBytes) {
    const TemporaryFolder folder;
    // Long enough that its first saves, every three seconds, come before its end; sanitizers slow it down enough.
    const std::string replicates = kSlowdown > 1 ? "2000" : "8000";
    const Words run{"intervene", samplePath(), "--layers",  "15",         "--heads",      "0-3",      "--rows",
                    "16",        "--length",   "256",       "--prompts",  "0,1",          "--train",  "2,3",
                    "--subset",  "top:3",      "--kernels", "taylor,elu", "--replicates", replicates, "--control",
                    "subsets",   "--json",     "--threads", "1"};
    const std::string file = folder.file("run.json");
    const auto pieces = [&file] { return fs::exists(file) ? nlohmann::json::parse(read(file))["pieces"].size() : 0; };
    const FinishedProgram killed = runCliUntil(
        with(run, {"--resume", file}), [&] { return pieces() > 2; }, SIGKILL);
    ASSERT_EQ(killed.exitCode, -1) << "it was over before";
    EXPECT_FALSE(nlohmann::json::parse(read(file))["complete"]);
    const std::size_t before = pieces();
    const FinishedProgram interrupted = runCliUntil(
        with(run, {"--resume", file}), [&] { return pieces() > before; }, SIGINT);
    EXPECT_EQ(interrupted.exitCode, 130) << interrupted.err;
    EXPECT_LT(interrupted.afterInterrupt, milliseconds(1000) * kSlowdown);
    EXPECT_GT(pieces(), before);
    const std::string resumed = succeeded(with(run, {"--resume", file}));
    const std::string again = succeeded(with(run, {"--resume", file}));
    EXPECT_EQ(withoutTimes(again), withoutTimes(resumed)) << "all pieces are there";
    EXPECT_EQ(withoutTimes(resumed), withoutTimes(succeeded(run)));
    const FinishedProgram foreign = runCli(with(smallRun(), {"--resume", file}));
    EXPECT_EQ(foreign.exitCode, 1);
    EXPECT_NE(foreign.err.find("it is of another run"), std::string::npos) << foreign.err;
}

TEST(CliPieces, WrongUsageIsTwo) {
    for (const Words& wrong : std::vector<Words>{{"--shard", "0/2"},
                                                 {"--shard", "3/2"},
                                                 {"--shard", "half"},
                                                 {"--shard", "1/2", "--out", "table.csv"},
                                                 {"--protocol", "oal-qwen", "--alpha", "0.3"},
                                                 {"--protocol", "x"}})
        EXPECT_EQ(runCli(with({"intervene", samplePath()}, wrong)).exitCode, 2) << wrong.back();
    EXPECT_EQ(runCli({"merge"}).exitCode, 2);
    EXPECT_EQ(runCli({"calibrate", samplePath(), "--shard", "1/2", "--exact-first", "1"}).exitCode, 2);
}

TEST(CliProtocol, ListsWhatTheDumpCannotMeet) {
    const FinishedProgram program = runCli({"intervene", samplePath(), "--protocol", "oal-qwen", "--layers", "15",
                                            "--heads", "0", "--kernels", "taylor", "--length", "96", "--json"});
    ASSERT_EQ(program.exitCode, 0) << program.err;
    const nlohmann::json document = program.document();
    EXPECT_EQ(document["provenance"]["parameters"]["alpha"], 0.25);
    EXPECT_EQ(document["provenance"]["parameters"]["rows"], 32);
    EXPECT_EQ(document["provenance"]["parameters"]["seeds"].size(), 5U);
    std::size_t unmet = 0;
    for (const nlohmann::json& warning : document["warnings"]) unmet += warning["code"] == "protocol" ? 1U : 0U;
    EXPECT_EQ(unmet, 6U);  // three layers, two splits, the length
}

}  // namespace
}  // namespace dimscope::tests
