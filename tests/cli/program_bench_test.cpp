// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "tests/cli/finished_program.h"
#include "tests/support/wall_clock.h"

namespace dimscope::tests {
namespace {

using nlohmann::json;
using Arguments = std::vector<std::string>;

Arguments tinyBench(const Arguments& more) {
    Arguments arguments{"bench", "--shape", "4/2x16", "--positions", "64,128", "--repeat", "3", "--threads", "2"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
}

json measuredBy(Arguments arguments) {
    arguments.emplace_back("--json");
    const FinishedProgram program = runCli(arguments);
    EXPECT_EQ(program.exitCode, 0) << program.err;
    return program.document();
}

void expectKeys(const json& document, std::size_t rows) {
    ASSERT_EQ(document["rows"].size(), rows);
    for (const json& row : document["rows"]) {
        for (const char* key : {"job", "kernel", "backend", "shape", "positions", "ms", "ms_min", "gflops",
                                "peak_bytes", "ratio_to_exact", "error"})
            EXPECT_TRUE(row.contains(key)) << key;
        EXPECT_EQ(row.size(), 11U);
    }
}

TEST(CliBench, OperatorsHaveTimeMemoryAndError) {
    const json document = measuredBy(tinyBench({"--kernels", "global,oal,taylor"}));
    expectKeys(document, 8);
    for (const json& row : document["rows"]) {
        EXPECT_EQ(row["job"], "operator");
        EXPECT_EQ(row["backend"], "cpu");
        EXPECT_EQ(row["shape"], "4/2x16");
        EXPECT_GT(row["ms_min"].get<double>(), 0.0);
        EXPECT_GE(row["ms"], row["ms_min"]);
        EXPECT_GT(row["gflops"].get<double>(), 0.0);
        EXPECT_GT(row["peak_bytes"].get<std::int64_t>(), 0);
        EXPECT_GT(row["ratio_to_exact"].get<double>(), 0.0);
        EXPECT_LE(row["error"].get<double>(), 1e-5);
    }
    EXPECT_EQ(document["rows"][0]["kernel"], "softmax");
    EXPECT_EQ(document["rows"][0]["ratio_to_exact"], 1.0);
    EXPECT_EQ(document["rows"][7]["positions"], 128);
    EXPECT_EQ(document["provenance"]["verb"], "bench");
    EXPECT_EQ(document["provenance"]["parameters"]["threads"], 2);
    EXPECT_TRUE(document["warnings"].empty());
}

TEST(CliBench, EveryJobRuns) {
    expectKeys(measuredBy(tinyBench({"--job", "profile"})), 2);
    const json compared =
        measuredBy(tinyBench({"--job", "compare", "--kernels", "performer", "--performer-features", "8"}));
    expectKeys(compared, 4);
    EXPECT_LE(compared["rows"][1]["error"].get<double>(), 1e-4);
    EXPECT_EQ(compared["provenance"]["parameters"]["kernel_settings"], (json{"performer-features = 8"}));
    const json subsets =
        measuredBy(tinyBench({"--job", "subsets", "--kernels", "taylor", "--replicates", "5", "--rows", "4"}));
    expectKeys(subsets, 4);
    EXPECT_LE(subsets["rows"][1]["error"].get<double>(), 1e-4);
    const json fits = measuredBy(tinyBench({"--job", "calibrate", "--kernels", "taylorshift"}));
    expectKeys(fits, 2);
    EXPECT_TRUE(fits["rows"][0]["gflops"].is_null());
}

TEST(CliBench, AllKernelsSaysWhatIsMissing) {
    const json document = measuredBy({"bench", "--shape", "2/1x16", "--positions", "40", "--repeat", "1"});
    for (const json& row : document["rows"])
        if (row["ms"].is_null()) {
            EXPECT_TRUE(std::any_of(document["warnings"].begin(), document["warnings"].end(), [&](const json& warning) {
                return warning["place"] == row["kernel"];
            })) << row["kernel"];
        }
    EXPECT_GT(document["rows"].size(), 20U);
}

TEST(CliBench, ADumpBringsItsOwnShapeAndLength) {
    const json document = measuredBy({"bench", samplePath(), "--layers", "15", "--prompts", "1", "--repeat", "1",
                                      "--kernels", "oal", "--threads", "2"});
    expectKeys(document, 2);
    EXPECT_EQ(document["rows"][0]["shape"], "9/3x64");
    EXPECT_EQ(document["rows"][0]["positions"], 512);
    EXPECT_EQ(document["provenance"]["dump"]["name"], "smollm2-sample.h5");
}

TEST(CliBench, WrongUsageIsTwo) {
    for (const Arguments& wrong : std::vector<Arguments>{{"--shape", "9/2x64"},
                                                         {"--shape", "64"},
                                                         {"--positions", "0"},
                                                         {"--repeat", "0"},
                                                         {"--job", "nothing"},
                                                         {"--kernels", "softermax"},
                                                         {"--job", "profile", "--kernels", "oal"},
                                                         {"--job", "calibrate", "--kernels", "elu"},
                                                         {"--backend", "reference"},
                                                         {"--layers", "3"},
                                                         {"--params", "k.h5"}}) {
        Arguments arguments{"bench"};
        arguments.insert(arguments.end(), wrong.begin(), wrong.end());
        const FinishedProgram program = runCli(arguments);
        EXPECT_EQ(program.exitCode, 2) << wrong.front() << " " << wrong.back();
        EXPECT_EQ(program.out, "");
        EXPECT_NE(program.err.find(wrong.front()), std::string::npos) << program.err;
    }
    EXPECT_EQ(runCli({"bench", samplePath(), "--positions", "513"}).exitCode, 1);
    EXPECT_EQ(runCli({"bench", samplePath(), "--layers", "5,15"}).exitCode, 2);
}

TEST(CliBench, AnInterruptEndsWithinASecond) {
    const TemporaryFolder folder;
    const FinishedProgram program =
        runCli({"bench", "--positions", "16384", "--repeat", "1000", "--out", folder.file("b.csv")},
               std::chrono::milliseconds(1500) * kSlowdown);
    EXPECT_EQ(program.exitCode, 130) << program.err;
    EXPECT_LT(program.afterInterrupt, std::chrono::milliseconds(1000) * kSlowdown);
    EXPECT_TRUE(folder.empty());
}

}  // namespace
}  // namespace dimscope::tests
