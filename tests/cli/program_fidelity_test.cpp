// SPDX-License-Identifier: GPL-3.0-or-later
// Fidelity and budget on the command line, run as a person runs them.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/finished_program.h"

namespace dimscope::tests {
namespace {

using nlohmann::json;

FinishedProgram runOnSample(std::vector<std::string> arguments, const std::vector<std::string>& more) {
    arguments.insert(arguments.begin() + 1, samplePath());
    arguments.insert(arguments.end(), more.begin(), more.end());
    return runCli(arguments);
}

json documentOf(const std::vector<std::string>& arguments, const std::vector<std::string>& more) {
    std::vector<std::string> all = more;
    all.emplace_back("--json");
    const FinishedProgram program = runOnSample(arguments, all);
    EXPECT_EQ(program.exitCode, 0) << program.err;
    return program.document();
}

const std::vector<std::string> kSmallFidelity{"fidelity",  "--layers", "15",        "--length",       "96",
                                              "--prompts", "0,1",      "--kernels", "taylor,zeros_sm"};

TEST(CliFidelity, EveryKeyIsThere) {
    const json document = documentOf(kSmallFidelity, {});
    EXPECT_EQ(document["rows"], "all");
    ASSERT_EQ(document["methods"].size(), 5U);
    for (const json& method : document["methods"]) {
        EXPECT_EQ(method["calibrated"], false);
        for (const char* place : {"before", "after"}) {
            EXPECT_GT(method[place]["mse"].get<double>(), 0.0);
            EXPECT_GT(method[place]["rel_mse"].get<double>(), 0.0);
            EXPECT_EQ(method[place]["interval"], json::array());  // two sequences
            EXPECT_TRUE(method[place]["standard_error"]["rows"].is_null());
        }
        EXPECT_EQ(method["path"], method["kernel"] == "zeros_sm" ? "pairwise" : "state");
        EXPECT_EQ(method["prompts"].size(), 2U);
        if (method["kernel"] == "zero") {
            EXPECT_EQ(method["before"]["rel_mse"], 1.0);
            EXPECT_TRUE(method["worse_than_zero"].is_null());
        }
    }
    ASSERT_EQ(document["heads"].size(), 45U);
    for (const json& head : document["heads"])
        for (const char* key : {"mse", "rel_mse", "fvu", "cosine", "rel_mse_scaled", "after"})
            EXPECT_TRUE(head.contains(key)) << key;
    ASSERT_EQ(document["cross_after"].size(), 5U);
    for (const json& cross : document["cross_after"])
        EXPECT_NEAR(cross["joint"].get<double>() - cross["singles"].get<double>(), cross["cross"].get<double>(), 1e-15);
    EXPECT_EQ(document["provenance"]["verb"], "fidelity");
}

TEST(CliFidelity, SampledRowsHaveTheirError) {
    const json document = documentOf(kSmallFidelity, {"--rows", "20"});
    EXPECT_EQ(document["rows"], 20);
    for (const json& method : document["methods"]) {
        EXPECT_EQ(method["path"], "pairwise");
        if (method["kernel"] != "zero") {
            EXPECT_GT(method["before"]["standard_error"]["rows"].get<double>(), 0.0);
        }
    }
    const FinishedProgram text = runOnSample(kSmallFidelity, {"--rows", "20"});
    EXPECT_NE(text.out.find("± rows"), std::string::npos) << text.out;
    EXPECT_NE(text.out.find("first_value"), std::string::npos) << text.out;
}

TEST(CliFidelity, CalibratedStandsBesideUntrained) {
    const TemporaryFolder folder;
    const std::string params = folder.file("k.h5"), table = folder.file("f.csv"), figure = folder.file("f.tikz");
    ASSERT_EQ(runOnSample({"calibrate", "--layers", "15", "--length", "96", "--kernels", "global", "--rows", "32",
                           "--write", params},
                          {})
                  .exitCode,
              0);
    const std::vector<std::string> arguments{"fidelity",  "--layers", "15",       "--length", "96",
                                             "--kernels", "global",   "--params", params};
    const json document = documentOf(arguments, {"--out", table});
    ASSERT_EQ(document["methods"].size(), 5U);
    EXPECT_EQ(document["methods"][1]["kernel"], "global");
    EXPECT_EQ(document["methods"][1]["calibrated"], true);
    EXPECT_LT(document["methods"][1]["before"]["rel_mse"], document["methods"][0]["before"]["rel_mse"]);
    EXPECT_EQ(runOnSample(arguments, {"--out", figure}).exitCode, 0);
    EXPECT_TRUE(std::filesystem::exists(table));
    EXPECT_TRUE(std::filesystem::exists(figure));
}

const std::vector<std::string> kSmallBudget{
    "budget", "--layers",   "15",    "--heads",      "0", "--length",
    "96",     "--groups",   "1,2,d", "--partitions", "2", "--random-cuts",
    "1",      "--fit-rows", "24",    "--starts",     "1", "--bootstrap-replicates",
    "20"};

TEST(CliBudget, PointsFromOneGroupToAll) {
    const json document = documentOf(kSmallBudget, {"--train", "0,1,2", "--prompts", "3"});
    // One group, two by four orders, rotation, two random partitions, one random cut, the grouping, ungrouped.
    ASSERT_EQ(document["points"].size(), 11U);
    EXPECT_EQ(document["points"].front()["parameters"], 3);
    EXPECT_EQ(document["points"].back()["parameters"], 2145);
    EXPECT_EQ(document["points"].back()["groups"], 64);
    for (const json& point : document["points"]) {
        EXPECT_GT(point["mse"].get<double>(), 0.0);
        EXPECT_GT(point["rel_mse"].get<double>(), 0.0);
        for (const char* key : {"groups", "order", "cut_rule", "draw", "front", "fit"})
            EXPECT_TRUE(point.contains(key)) << key;
    }
    EXPECT_EQ(document["heads"].size(), 11U);
    EXPECT_EQ(document["heads"][1]["label"].size(), 64U);
}

TEST(CliBudget, TheSameOnAnyNumberOfThreads) {
    const auto run = [](const char* threads) {
        json document = documentOf(kSmallBudget, {"--threads", threads});
        for (const char* varies : {"started", "elapsed", "device"}) document["provenance"].erase(varies);
        return document;
    };
    EXPECT_EQ(run("1"), run("2"));
}

TEST(CliFidelity, WrongUsageIsTwo) {
    for (const std::vector<std::string>& wrong : std::vector<std::vector<std::string>>{
             {"--kernels", "softermax"}, {"--rows", "0"}, {"--path", "short"}, {"--weight-rows", "-1"}})
        EXPECT_EQ(runOnSample({"fidelity"}, wrong).exitCode, 2) << wrong.front();
    for (const std::vector<std::string>& wrong :
         std::vector<std::vector<std::string>>{{"--groups", "0"}, {"--groups", "1,x"}, {"--starts", "9"}})
        EXPECT_EQ(runOnSample({"budget"}, wrong).exitCode, 2) << wrong.front();
    const FinishedProgram refused = runOnSample({"fidelity"}, {"--layers", "4"});
    EXPECT_EQ(refused.exitCode, 1);
    EXPECT_NE(refused.err.find("layer 4"), std::string::npos) << refused.err;
}

}  // namespace
}  // namespace dimscope::tests
